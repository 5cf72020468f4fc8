/** What plays the recording, and where it is. */
import { signal } from '@preact/signals';
import { afterSilence, type Peaks } from './peaks.ts';

export const speeds = [0.5, 0.75, 0.9, 1, 1.1, 1.25, 1.5, 1.75, 2, 2.5, 3] as const;
const rateName = 'longhand-speed';
/** A store that refuses an old address is asked for a new one so often. */
const reloadsMax = 3;

export class Player {
  readonly isPlaying = signal(false);
  readonly durationMs = signal(0);
  /** In whole seconds: for what people read. */
  readonly second = signal(0);
  readonly rate = signal(savedRate());
  readonly skipsSilence = signal(false);
  readonly isBroken = signal(false);
  /** Called with the position while it plays, at the pace of the screen, and after each jump. */
  readonly watchers = new Set<(ms: number) => void>();
  peaks: Peaks | undefined;
  #element: HTMLMediaElement | undefined;
  #frame = 0;
  #reloads = 0;
  #wantedMs: number | undefined;

  get positionMs(): number {
    return this.#wantedMs ?? (this.#element?.currentTime ?? 0) * 1000;
  }

  readonly attach = (element: HTMLMediaElement | null): void => {
    if (!element || element === this.#element) return;
    this.#element = element;
    element.playbackRate = this.rate.value;
    element.addEventListener('play', () => this.#began());
    element.addEventListener('pause', () => this.#ended());
    element.addEventListener('ended', () => this.#ended());
    element.addEventListener('seeked', () => this.#tell());
    element.addEventListener('loadedmetadata', () => this.#loaded(element));
    element.addEventListener('error', () => this.#failed(element));
  };

  seek(ms: number): void {
    const element = this.#element;
    const most = this.durationMs.value || Number.POSITIVE_INFINITY;
    const at = Math.max(0, Math.min(ms, most));
    if (!element) return;
    if (element.readyState === 0) this.#wantedMs = at;
    else element.currentTime = at / 1000;
    this.second.value = Math.floor(at / 1000);
    for (const watch of this.watchers) watch(at);
  }

  async play(fromMs?: number): Promise<void> {
    if (fromMs !== undefined) this.seek(fromMs);
    // Refused where the browser wants a gesture first, or the media is gone: then it simply stays still.
    await this.#element?.play().catch(() => {});
  }

  pause(): void {
    this.#element?.pause();
  }

  toggle(): void {
    if (this.isPlaying.value) this.pause();
    else void this.play();
  }

  setRate(rate: number): void {
    const fine = Math.round(Math.min(4, Math.max(0.25, rate)) * 100) / 100;
    this.rate.value = fine;
    if (this.#element) this.#element.playbackRate = fine;
    localStorage.setItem(rateName, String(fine));
  }

  close(): void {
    cancelAnimationFrame(this.#frame);
    this.#element?.pause();
    this.watchers.clear();
  }

  #loaded(element: HTMLMediaElement): void {
    if (Number.isFinite(element.duration)) this.durationMs.value = element.duration * 1000;
    element.playbackRate = this.rate.value;
    this.isBroken.value = false;
    if (this.#wantedMs !== undefined) element.currentTime = this.#wantedMs / 1000;
    this.#wantedMs = undefined;
  }

  /** The address of a store's file lives for an hour: a second try gets another one. */
  #failed(element: HTMLMediaElement): void {
    if (element.readyState === 0 || this.#reloads >= reloadsMax) {
      this.isBroken.value = true;
      return;
    }
    this.#reloads += 1;
    this.#wantedMs = element.currentTime * 1000;
    const wasPlaying = this.isPlaying.value;
    element.load();
    if (wasPlaying) void this.play();
  }

  #began(): void {
    this.isPlaying.value = true;
    cancelAnimationFrame(this.#frame);
    const tick = () => {
      this.#tell();
      this.#frame = requestAnimationFrame(tick);
    };
    tick();
  }

  #ended(): void {
    this.isPlaying.value = false;
    cancelAnimationFrame(this.#frame);
  }

  #tell(): void {
    const element = this.#element;
    if (!element) return;
    if (this.isPlaying.value && this.skipsSilence.value && this.peaks && !element.seeking) {
      const later = afterSilence(this.peaks, element.currentTime);
      if (later !== undefined) element.currentTime = later;
    }
    const second = Math.floor(element.currentTime);
    if (second !== this.second.value) this.second.value = second;
    for (const watch of this.watchers) watch(element.currentTime * 1000);
  }
}

function savedRate(): number {
  const saved = Number(localStorage.getItem(rateName));
  return saved >= 0.25 && saved <= 4 ? saved : 1;
}
