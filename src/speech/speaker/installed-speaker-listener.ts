/** Embeds the speakers of a chunk. A failure is returned, never thrown: the text does not depend on it. */
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../platform/clock.ts';
import type { Chunk } from '../../timeline/chunk-plan.ts';
import type { SpeakerEvidence } from '../chunk-result.ts';
import { openSherpaListener } from './sherpa-listener.ts';
import type { SpeakerListener } from './speaker-listener.ts';
import { openXVectorListener } from './x-vector-listener.ts';

interface SpeakerModel {
  id: string;
  /** Models that must all be installed. */
  needs: readonly string[];
  open(directories: readonly string[]): Promise<SpeakerListener>;
}

/** The best first; the first that is installed is used. */
const speakerModels: readonly SpeakerModel[] = [
  {
    id: 'pyannote-segmentation+wespeaker-resnet34',
    needs: ['pyannote-segmentation', 'wespeaker-resnet34'],
    open: openSherpaListener,
  },
  {
    id: 'pyannote-segmentation+wespeaker-campplus',
    needs: ['pyannote-segmentation', 'wespeaker-campplus'],
    open: openSherpaListener,
  },
  { id: 'vosk-spk', needs: ['vosk-spk'], open: ([directory = '']) => openXVectorListener(directory) },
];

/** The default model takes 0.3 s for a chunk of 28 s. */
const chunkTimeoutMs = 30_000;

interface OpenModel {
  id: string;
  listener: SpeakerListener;
}

export class InstalledSpeakerListener {
  readonly #modelsDirectory: string;
  readonly #clock: Clock;
  #model: Promise<OpenModel | undefined> | null = null;

  constructor(modelsDirectory: string, clock: Clock) {
    this.#modelsDirectory = modelsDirectory;
    this.#clock = clock;
  }

  async evidence(samples: Float32Array, chunk: Chunk): Promise<SpeakerEvidence> {
    const limit = this.#clock.timeout(chunkTimeoutMs);
    const timedOut = Promise.withResolvers<never>();
    const onTimeout = () => timedOut.reject(limit.reason);
    limit.addEventListener('abort', onTimeout, { once: true });
    try {
      return await Promise.race([this.#listen(samples, chunk), timedOut.promise]);
    } catch (error) {
      const detail = error instanceof Error ? error.message : String(error);
      return { fault: limit.aborted ? 'time-limit' : 'error', detail };
    } finally {
      limit.removeEventListener('abort', onTimeout);
    }
  }

  async #listen(samples: Float32Array, chunk: Chunk): Promise<SpeakerEvidence> {
    const model = await this.#opened();
    if (!model)
      return {
        fault: 'no-model',
        detail: 'no speaker model is installed; run: longhand models install vosk-spk',
      };
    const { overlapping } = model.listener;
    return { model: model.id, overlapping, windows: await model.listener.windows(samples, chunk) };
  }

  /** Opened once and cached. A missing model is looked for again, so that an installation is noticed. */
  #opened(): Promise<OpenModel | undefined> {
    this.#model ??= this.#open();
    this.#model.then(
      (model) => {
        if (!model) this.#model = null;
      },
      () => {
        this.#model = null;
      },
    );
    return this.#model;
  }

  async #open(): Promise<OpenModel | undefined> {
    for (const { id, needs, open } of speakerModels) {
      const directories = needs.map((name) => join(this.#modelsDirectory, name));
      const there = await Promise.all(directories.map(isInstalled));
      if (there.every(Boolean)) return { id, listener: await open(directories) };
    }
    return undefined;
  }
}

/** The note of verified files is written last. */
async function isInstalled(directory: string): Promise<boolean> {
  try {
    await access(join(directory, '.verified.json'));
    return true;
  } catch {
    return false;
  }
}
