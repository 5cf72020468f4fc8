/**
 * Diarization error rate: frames of 10 ms, speakers paired so that most time agrees, overlapping speech scored for
 * every speaker in it. Miss, false alarm and confusion are shares of the reference speech.
 */
import { cheapestAssignment } from './assignment.ts';

export interface LabelledTurn {
  startSeconds: number;
  endSeconds: number;
  speaker: string;
}

export interface DiarizationErrorOptions {
  /** Left out on both sides of every reference boundary. */
  collarSeconds: number;
  /** Leaves out what two people say at once. */
  withoutOverlap?: boolean;
}

/** In frames, so that several recordings can be added up. */
export interface DiarizationError {
  referenceFrames: number;
  missFrames: number;
  falseAlarmFrames: number;
  confusionFrames: number;
}

export const framesPerSecond = 100;

function frameOf(seconds: number): number {
  return Math.round(seconds * framesPerSecond);
}

/** For each speaker, which frames are theirs. */
function activity(turns: readonly LabelledTurn[], frames: number): Uint8Array[] {
  const bySpeaker = new Map<string, Uint8Array>();
  for (const { speaker, startSeconds, endSeconds } of turns) {
    const active = bySpeaker.get(speaker) ?? new Uint8Array(frames);
    bySpeaker.set(speaker, active);
    active.fill(1, Math.max(0, frameOf(startSeconds)), Math.max(0, frameOf(endSeconds)));
  }
  return [...bySpeaker.values()];
}

function activeCount(speakers: readonly Uint8Array[], frame: number): number {
  let count = 0;
  for (const active of speakers) count += active[frame] ?? 0;
  return count;
}

function scoredFrames(
  reference: readonly LabelledTurn[],
  speakers: readonly Uint8Array[],
  frames: number,
  { collarSeconds, withoutOverlap = false }: DiarizationErrorOptions,
): Uint8Array {
  const scored = new Uint8Array(frames).fill(1);
  for (const { startSeconds, endSeconds } of collarSeconds > 0 ? reference : []) {
    for (const boundary of [startSeconds, endSeconds]) {
      scored.fill(
        0,
        Math.max(0, frameOf(boundary - collarSeconds)),
        Math.max(0, frameOf(boundary + collarSeconds)),
      );
    }
  }
  if (withoutOverlap) {
    for (let frame = 0; frame < frames; frame += 1) if (activeCount(speakers, frame) > 1) scored[frame] = 0;
  }
  return scored;
}

function sharedFrames(one: Uint8Array, other: Uint8Array, scored: Uint8Array): number {
  let count = 0;
  for (let frame = 0; frame < scored.length; frame += 1) {
    if (scored[frame] && one[frame] && other[frame]) count += 1;
  }
  return count;
}

export function diarizationError(
  reference: readonly LabelledTurn[],
  hypothesis: readonly LabelledTurn[],
  options: DiarizationErrorOptions,
): DiarizationError {
  const frames = Math.max(0, ...[...reference, ...hypothesis].map((turn) => frameOf(turn.endSeconds)));
  const said = activity(reference, frames);
  const found = activity(hypothesis, frames);
  const scored = scoredFrames(reference, said, frames, options);
  const pairs = cheapestAssignment(
    said.map((one) => found.map((other) => -sharedFrames(one, other, scored))),
  );
  const error = { referenceFrames: 0, missFrames: 0, falseAlarmFrames: 0, confusionFrames: 0 };
  for (let frame = 0; frame < frames; frame += 1) {
    if (!scored[frame]) continue;
    const saidCount = activeCount(said, frame);
    const foundCount = activeCount(found, frame);
    let correct = 0;
    said.forEach((active, index) => {
      if (active[frame] && found[pairs[index] ?? -1]?.[frame]) correct += 1;
    });
    error.referenceFrames += saidCount;
    error.missFrames += Math.max(0, saidCount - foundCount);
    error.falseAlarmFrames += Math.max(0, foundCount - saidCount);
    error.confusionFrames += Math.min(saidCount, foundCount) - correct;
  }
  return error;
}

export function summedError(errors: readonly DiarizationError[]): DiarizationError {
  const sum = { referenceFrames: 0, missFrames: 0, falseAlarmFrames: 0, confusionFrames: 0 };
  for (const error of errors) {
    sum.referenceFrames += error.referenceFrames;
    sum.missFrames += error.missFrames;
    sum.falseAlarmFrames += error.falseAlarmFrames;
    sum.confusionFrames += error.confusionFrames;
  }
  return sum;
}

export function errorRate({
  referenceFrames,
  missFrames,
  falseAlarmFrames,
  confusionFrames,
}: DiarizationError): number {
  return referenceFrames === 0 ? 0 : (missFrames + falseAlarmFrames + confusionFrames) / referenceFrames;
}
