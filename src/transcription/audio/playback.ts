/** What a browser needs to show and play a recording, made while it is decoded. */
import { browserPlayable } from '../../media/playback/browser-playable.ts';
import { PeakCollector } from '../../media/playback/peaks.ts';
import {
  type PlaybackCopy,
  playbackCopyBytesPerSecond,
  playbackCopyType,
  startPlaybackCopy,
} from '../../media/playback/playback-copy.ts';
import type { MediaPrograms, Probed } from '../../media/probe.ts';
import type { Logger } from '../../platform/telemetry/telemetry.ts';
import { playbackKey } from '../../storage/object-key.ts';
import type { ObjectStores } from '../../storage/object-store.ts';
import type { AudioObject, Source } from '../transcription.ts';

export interface PlaybackMedia extends AudioObject {
  contentType: string;
  isVideo: boolean;
}

export interface Playback {
  peaks: AudioObject | null;
  media: PlaybackMedia | null;
}

export interface PlaybackDeps {
  programs: MediaPrograms;
  stores: ObjectStores;
  logger: Logger;
}

interface Recording {
  id: string;
  source: Source;
  probed: Probed;
}

/**
 * Takes the samples of one recording. Without a waveform or a copy a transcript is still a transcript: whatever goes
 * wrong here is logged, and costs the job nothing.
 */
export class PlaybackMaker {
  readonly #deps: PlaybackDeps;
  readonly #job: Recording;
  readonly #peaks = new PeakCollector();
  #copy: { encoder: PlaybackCopy; stored: Promise<void> } | undefined;

  private constructor(deps: PlaybackDeps, job: Recording) {
    this.#deps = deps;
    this.#job = job;
  }

  static async start(deps: PlaybackDeps, job: Recording, signal: AbortSignal): Promise<PlaybackMaker> {
    const maker = new PlaybackMaker(deps, job);
    if (!originalOf(job)) await maker.#startCopy(signal);
    return maker;
  }

  async add(samples: Buffer): Promise<void> {
    this.#peaks.add(samples);
    await this.#copy?.encoder.write(samples);
  }

  async finish(): Promise<Playback> {
    const [peaks, media] = await Promise.all([this.#storePeaks(), this.#media()]);
    return { peaks, media };
  }

  /** The recording is given up: nothing of it is stored from now on. */
  async abandon(): Promise<void> {
    this.#copy?.encoder.kill();
    await this.#copy?.stored.catch(() => {});
  }

  async #startCopy(signal: AbortSignal): Promise<void> {
    const { programs, stores } = this.#deps;
    const seconds = this.#job.probed.audio.durationSeconds ?? this.#job.probed.durationSeconds ?? 0;
    try {
      const encoder = await startPlaybackCopy(programs, signal);
      const expectedBytes = Math.ceil(seconds * playbackCopyBytesPerSecond);
      const stored = stores.current.write(this.#copyKey, encoder.audio, expectedBytes);
      // A store that stops reading must not hold up the decoder.
      stored.catch(() => encoder.kill());
      this.#copy = { encoder, stored };
    } catch (error) {
      signal.throwIfAborted();
      this.#tell(error);
    }
  }

  async #media(): Promise<PlaybackMedia | null> {
    const original = originalOf(this.#job);
    if (original || !this.#copy) return original ?? null;
    const { encoder, stored } = this.#copy;
    try {
      await encoder.end();
      await stored;
      const { id: storage } = this.#deps.stores.current;
      return { storage, key: this.#copyKey, contentType: playbackCopyType, isVideo: false };
    } catch (error) {
      await stored.catch(() => {});
      this.#tell(error);
      return null;
    }
  }

  async #storePeaks(): Promise<AudioObject | null> {
    const { current } = this.#deps.stores;
    const key = playbackKey(this.#job.id, 'peaks');
    try {
      await current.write(key, this.#peaks.finish());
      return { storage: current.id, key };
    } catch (error) {
      this.#tell(error);
      return null;
    }
  }

  get #copyKey(): string {
    return playbackKey(this.#job.id, 'audio.ogg');
  }

  #tell(error: unknown): void {
    this.#deps.logger.warn(
      { err: error, job: this.#job.id },
      'the sound of a recording could not be prepared for browsers',
    );
  }
}

/** The upload itself, where browsers play it. What a link brought is not kept. */
function originalOf({ source, probed }: Recording): PlaybackMedia | undefined {
  const type = browserPlayable(probed);
  if (source.kind !== 'upload' || !type) return undefined;
  const { storage, key } = source;
  return { storage, key, ...type };
}
