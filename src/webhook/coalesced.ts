/**
 * Runs `work` one at a time; all calls that come while it runs share one more run after it. So whoever calls is
 * answered by a run that began after the call, and a crowd of calls costs two runs.
 */
export function coalesced(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  const run = (): Promise<void> => {
    if (!running) {
      running = work().finally(() => {
        running = undefined;
      });
      return running;
    }
    next ??= running
      .catch(() => {}) // Told to those who wait for that run.
      .then(() => {
        next = undefined;
        return run();
      });
    return next;
  };
  return run;
}
