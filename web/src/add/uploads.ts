/** Files on their way to the service: a few at a time, with pause, cancel, and going on after a reload. */
import { signal } from '@preact/signals';
import type { UploadTask } from 'longhand-client';
import { codeOf, longhand } from '../request.ts';
import { account } from '../session.ts';
import { text } from '../text.ts';
import { toast } from '../toast.tsx';
import { createFromUpload } from './create-job.ts';
import { allowanceProblem, fileProblem, leftToday } from './file-problem.ts';
import { TransferRate } from './transfer-rate.ts';
import { type KeptUpload, uploadStore } from './upload-store.ts';

export type UploadPhase = 'waiting' | 'sending' | 'paused' | 'creating' | 'failed' | 'needs-file';

export interface Upload {
  id: string;
  name: string;
  size: number;
  phase: UploadPhase;
  bytesSent: number;
  bytesPerSecond: number;
  /** Whether it goes in parts, so that it can be held. */
  canPause: boolean;
  problem?: string;
}

interface Work {
  kept: KeptUpload;
  file?: Blob;
  task?: UploadTask;
}

const uploadsAtOnce = 2;
/** Larger files are not copied into the browser's database. */
const keptBytesMax = 200_000_000;

export const uploads = signal<readonly Upload[]>([]);
const works = new Map<string, Work>();

/** Adds what nothing speaks against; says of the rest why not. */
export async function addFiles(files: readonly File[], speakers: boolean): Promise<void> {
  const person = account();
  let left = leftToday(person, uploads.value.length);
  for (const file of files) {
    const problem = fileProblem(file, person);
    if (problem !== undefined) {
      toast(problem, { isBad: true });
      continue;
    }
    if (left === 0) {
      toast(allowanceProblem(person, leftToday(person, uploads.value.length)), { isBad: true });
      break;
    }
    left -= 1;
    const { name, size, type, lastModified } = file;
    const id = crypto.randomUUID();
    const kept: KeptUpload = { id, accountId: person.id, name, size, type, lastModified, speakers };
    if (size <= keptBytesMax) kept.file = file;
    works.set(id, { kept, file });
    show(kept, 'waiting');
    await uploadStore.put(kept);
  }
  startNext();
}

/** What an earlier visit left unfinished, and what other apps shared. */
export async function restoreUploads(): Promise<void> {
  const person = account();
  for (const kept of await uploadStore.list()) {
    if (works.has(kept.id)) continue;
    if (kept.accountId !== undefined && kept.accountId !== person.id) {
      await uploadStore.delete(kept.id);
      continue;
    }
    const problem = fileProblem(kept, person);
    if (problem !== undefined) {
      toast(problem, { isBad: true });
      await uploadStore.delete(kept.id);
      continue;
    }
    works.set(kept.id, kept.file ? { kept, file: kept.file } : { kept });
    show(kept, kept.file ? 'waiting' : 'needs-file');
  }
  startNext();
}

/** The person chose the file again whose upload a reload cut. */
export function giveFile(id: string, file: File): void {
  const work = works.get(id);
  if (!work) return;
  const { name, size } = work.kept;
  if (file.name !== name || file.size !== size) {
    toast(text.add.otherFile, { isBad: true });
    return;
  }
  work.file = file;
  change(id, { phase: 'waiting' });
  startNext();
}

export function pauseUpload(id: string): void {
  works.get(id)?.task?.pause();
  change(id, { phase: 'paused', bytesPerSecond: 0 });
}

export function resumeUpload(id: string): void {
  works.get(id)?.task?.resume();
  change(id, { phase: 'sending' });
}

export function retryUpload(id: string): void {
  change(id, { phase: 'waiting', bytesSent: 0 });
  startNext();
}

export async function cancelUpload(id: string): Promise<void> {
  const task = works.get(id)?.task;
  await forget(id);
  await task?.abort().catch(() => {});
  startNext();
}

function startNext(): void {
  const active = uploads.value.filter(({ phase }) => ['sending', 'paused', 'creating'].includes(phase));
  const waiting = uploads.value.filter(({ phase }) => phase === 'waiting');
  for (const { id } of waiting.slice(0, Math.max(0, uploadsAtOnce - active.length))) void send(id);
}

async function send(id: string): Promise<void> {
  const work = works.get(id);
  if (!work?.file) return;
  const { kept, file } = work;
  change(id, { phase: 'sending' });
  const rate = new TransferRate();
  try {
    work.task = longhand.uploads.start(file, {
      filename: kept.name,
      ...(kept.type === '' ? {} : { contentType: kept.type }),
      speakerDiarization: kept.speakers,
      ...(kept.state ? { resumeFrom: kept.state } : {}),
      onState: (state) => {
        kept.state = state;
        change(id, { canPause: true });
        void uploadStore.put(kept);
      },
      onProgress: ({ bytesSent }) =>
        change(id, { bytesSent, bytesPerSecond: rate.after(bytesSent, performance.now()) }),
    });
    const reference = await work.task.done;
    change(id, { phase: 'creating', bytesSent: kept.size });
    await createFromUpload(reference, { speakers: kept.speakers, idempotencyKey: id });
    await forget(id);
  } catch (error) {
    if (works.has(id)) await fail(id, error);
  }
  startNext();
}

async function fail(id: string, error: unknown): Promise<void> {
  const work = works.get(id);
  // The parts that were stored are gone: the next try begins anew.
  if (work && codeOf(error) === 'invalid_multipart_upload') {
    delete work.kept.state;
    await uploadStore.put(work.kept);
  }
  const problem = codeOf(error) === 'connection_failed' ? text.unreachable : (error as Error).message;
  change(id, { phase: 'failed', bytesPerSecond: 0, problem });
}

async function forget(id: string): Promise<void> {
  works.delete(id);
  uploads.value = uploads.value.filter((one) => one.id !== id);
  await uploadStore.delete(id);
}

function show({ id, name, size }: KeptUpload, phase: UploadPhase): void {
  const fresh = { id, name, size, phase, bytesSent: 0, bytesPerSecond: 0, canPause: false };
  uploads.value = [...uploads.value, fresh];
}

function change(id: string, to: Partial<Upload>): void {
  uploads.value = uploads.value.map((one) => (one.id === id ? { ...one, ...to } : one));
}
