/** The worker of this process. It starts as soon as this machine has what it needs, at once or later. */
import type { Config } from '../config.ts';
import type { Egress } from '../egress/egress.ts';
import type { MediaPrograms } from '../media/probe.ts';
import type { Clock } from '../platform/clock.ts';
import { StartError } from '../platform/start-error.ts';
import type { Logger } from '../platform/telemetry/telemetry.ts';
import { type Check, problemsOf } from './check.ts';
import { workerChecks } from './job-checks.ts';
import { mediaPrograms, type RunningWorker, startWorker, type WorkerParts } from './processing.ts';
import { openModelStore, openSpeech, refuseUnknownEngine } from './speech.ts';

type JobParts = Omit<WorkerParts, 'speech' | 'programs' | 'egress'>;

export class LocalWorker {
  readonly checks: readonly Check[];
  readonly #programs: MediaPrograms;
  readonly #egress: WorkerParts['egress'];
  #running: Promise<RunningWorker | undefined> | undefined;
  #isStopping = false;

  private constructor(checks: readonly Check[], programs: MediaPrograms, egress: WorkerParts['egress']) {
    this.checks = checks;
    this.#programs = programs;
    this.#egress = egress;
  }

  /** Throws a StartError when a setting names an engine or a program that is not there. */
  static async open(
    { config, clock, logger }: { config: Config; clock: Clock; logger: Logger },
    egress: Egress,
  ): Promise<LocalWorker> {
    const open = async () => egress;
    const [programs, models] = await Promise.all([
      mediaPrograms({ config, clock, logger }),
      openModelStore({ config }, { open }),
    ]);
    await refuseUnknownEngine(config, models);
    const checks = workerChecks({ config, clock, programs, models });
    await refuseWrongPrograms(config, checks);
    return new LocalWorker(checks, programs, { open });
  }

  /** Does nothing while something is missing, and when it runs already. */
  async start(parts: JobParts): Promise<void> {
    if (this.#running || (await problemsOf(this.checks)).length > 0 || this.#isStopping) return;
    this.#running = this.#run(parts);
    try {
      await this.#running;
    } catch (error) {
      this.#running = undefined;
      throw error;
    }
  }

  /** To be called before the queue stops: nothing starts any more. */
  async settle(): Promise<void> {
    this.#isStopping = true;
    await this.#running?.catch(() => {});
  }

  /** To be called after the queue has stopped. */
  async stop(): Promise<void> {
    await (await this.#running)?.stop();
  }

  async #run(parts: JobParts): Promise<RunningWorker | undefined> {
    const egress = this.#egress;
    const speech = await openSpeech(parts.foundation, egress);
    return speech && startWorker({ ...parts, speech, programs: this.#programs, egress });
  }
}

/** A program that is missing is logged; one that a setting names and that does not run is a wrong setting. */
async function refuseWrongPrograms({ redacted }: Config, checks: readonly Check[]): Promise<void> {
  for (const { name, text } of await problemsOf(checks)) {
    const setting = `LONGHAND_${name.toUpperCase()}`;
    if (redacted[setting] !== undefined) throw new StartError(`${setting}: ${text}`);
  }
}
