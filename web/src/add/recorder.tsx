/** A recording from the microphone, with pause. What was said so far is kept, should the page go away. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { position, when } from '../format.ts';
import { account } from '../session.ts';
import { text } from '../text.ts';
import { type KeptUpload, uploadStore } from './upload-store.ts';

const types: [type: string, extension: string][] = [
  ['audio/webm;codecs=opus', 'webm'],
  ['audio/mp4', 'm4a'],
  ['audio/ogg;codecs=opus', 'ogg'],
];
/** Speech needs no more: an hour is 22 MB. */
const bitsPerSecond = 48_000;
const sliceMs = 2_000;
const keptEverySlices = 5;
const tickMs = 250;

export function Recorder({ close, done }: { close(): void; done(file: File): void }) {
  const session = useRef<RecordingSession | undefined>(undefined);
  const state = useSignal<'asking' | 'running' | 'paused' | 'refused'>('asking');
  const seconds = useSignal(0);
  useEffect(() => {
    let isLeft = false;
    void RecordingSession.open()
      .then((opened) => {
        if (isLeft) return opened.discard();
        session.current = opened;
        state.value = 'running';
        return undefined;
      })
      .catch(() => {
        state.value = 'refused';
      });
    const timer = setInterval(() => {
      seconds.value = session.current?.seconds ?? 0;
    }, tickMs);
    return () => {
      isLeft = true;
      clearInterval(timer);
    };
  }, [state, seconds]);
  const isPaused = state.value === 'paused';
  const turn = () => {
    if (isPaused) session.current?.resume();
    else session.current?.pause();
    state.value = isPaused ? 'running' : 'paused';
  };
  const finish = async () => {
    const file = await session.current?.finish();
    if (file) done(file);
    close();
  };
  const discard = async () => {
    await session.current?.discard();
    close();
  };
  if (state.value === 'refused')
    return (
      <div class="row" role="alert">
        <p class="notice bad">{text.add.noMicrophone}</p>
        <button type="button" class="btn" onClick={close}>
          {text.cancel}
        </button>
      </div>
    );
  return (
    <div class="row recorder">
      <span class={isPaused ? 'lamp' : 'lamp on'} aria-hidden="true" />
      <span role="status">{isPaused ? text.add.recordingPaused : text.add.recording}</span>
      <span class="num">{position(seconds.value)}</span>
      <button type="button" class="btn" onClick={turn} disabled={state.value === 'asking'}>
        {isPaused ? text.add.recordGoOn : text.add.recordPause}
      </button>
      <button
        type="button"
        class="btn main"
        onClick={() => void finish()}
        disabled={state.value === 'asking'}
      >
        {text.add.recordStop}
      </button>
      <button type="button" class="btn plain" onClick={() => void discard()}>
        {text.add.recordDiscard}
      </button>
    </div>
  );
}

class RecordingSession {
  readonly #recorder: MediaRecorder;
  readonly #stream: MediaStream;
  readonly #parts: Blob[] = [];
  readonly #id = crypto.randomUUID();
  readonly #name: string;
  readonly #type: string;
  #msBefore = 0;
  #sinceMs = performance.now();

  static async open(): Promise<RecordingSession> {
    const [type, extension] = types.find(([one]) => MediaRecorder.isTypeSupported(one)) ?? [];
    if (type === undefined || extension === undefined) throw new Error('no format to record in');
    const audio = { echoCancellation: false, noiseSuppression: false, autoGainControl: true };
    const stream = await navigator.mediaDevices.getUserMedia({ audio });
    return new RecordingSession(stream, type, extension);
  }

  private constructor(stream: MediaStream, type: string, extension: string) {
    this.#stream = stream;
    this.#type = type.split(';')[0] ?? type;
    const name = text.add.recordingName(when(new Date().toISOString()));
    this.#name = `${name.replaceAll(':', '.')}.${extension}`;
    this.#recorder = new MediaRecorder(stream, { mimeType: type, audioBitsPerSecond: bitsPerSecond });
    this.#recorder.ondataavailable = ({ data }) => {
      this.#parts.push(data);
      if (this.#parts.length % keptEverySlices === 0) void this.#keep();
    };
    this.#recorder.start(sliceMs);
  }

  get seconds(): number {
    const running = this.#recorder.state === 'recording' ? performance.now() - this.#sinceMs : 0;
    return (this.#msBefore + running) / 1000;
  }

  pause(): void {
    this.#msBefore = this.seconds * 1000;
    this.#recorder.pause();
    void this.#keep();
  }

  resume(): void {
    this.#sinceMs = performance.now();
    this.#recorder.resume();
  }

  async finish(): Promise<File> {
    await this.#stop();
    await uploadStore.delete(this.#id);
    return this.#file();
  }

  async discard(): Promise<void> {
    await this.#stop();
    await uploadStore.delete(this.#id);
  }

  async #stop(): Promise<void> {
    const stopped = new Promise((resolve) => this.#recorder.addEventListener('stop', resolve));
    this.#recorder.stop();
    await stopped;
    for (const track of this.#stream.getTracks()) track.stop();
  }

  #file(): File {
    return new File(this.#parts, this.#name, { type: this.#type });
  }

  /** As an upload that the next visit finds and sends, unless this one ends it. */
  async #keep(): Promise<void> {
    if (this.#recorder.state === 'inactive') return;
    const file = this.#file();
    const { name, type, size, lastModified } = file;
    const kept: KeptUpload = {
      id: this.#id,
      accountId: account().id,
      name,
      type,
      size,
      lastModified,
      speakers: false,
      file,
    };
    await uploadStore.put(kept);
  }
}
