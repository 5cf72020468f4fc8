/** A test's context, or `{ after }` of node:test for what serves the whole file. */
export interface Hooks {
  after(work: () => Promise<void>): void;
}

const stacks = new WeakMap<Hooks, (() => Promise<unknown>)[]>();

/**
 * Undoes things in the reverse order of their making, all of them even when one fails. `after` alone would run
 * first-made first: the database dropped under the service that still uses it.
 */
export function onCleanup(hooks: Hooks, undo: () => Promise<unknown>): void {
  const known = stacks.get(hooks);
  if (known) {
    known.push(undo);
    return;
  }
  const stack = [undo];
  stacks.set(hooks, stack);
  hooks.after(async () => {
    const errors: unknown[] = [];
    for (let next = stack.pop(); next; next = stack.pop()) {
      await next().catch((error: unknown) => errors.push(error));
    }
    if (errors.length === 1) throw errors[0];
    if (errors.length > 1) throw new AggregateError(errors, 'several things could not be cleaned up');
  });
}
