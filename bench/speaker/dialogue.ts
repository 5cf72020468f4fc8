/** Dialogues with known turns, made from single utterances: an equaliser for each utterance, one room, noise. */
import { sampleRate } from '../../src/timeline/sample-rate.ts';
import type { LabelledTurn } from './diarization-error.ts';
import type { SpokenText } from './speaker-word-error.ts';
import type { Voice, VoiceUtterance } from './voices.ts';

export interface Dialogue {
  name: string;
  samples: Float32Array;
  turns: LabelledTurn[];
  texts: SpokenText[];
  speakerCount: number;
}

export type Random = () => number;

/** The same numbers for the same seed. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function between(random: Random, low: number, high: number): number {
  return low + (high - low) * random();
}

/** A peaking filter (Audio EQ Cookbook). */
function peaking(samples: Float32Array, hz: number, gainDb: number, quality: number): Float32Array {
  const amplitude = 10 ** (gainDb / 40);
  const omega = (2 * Math.PI * hz) / sampleRate;
  const alpha = Math.sin(omega) / (2 * quality);
  const a0 = 1 + alpha / amplitude;
  const [b0, b1, b2] = [
    (1 + alpha * amplitude) / a0,
    (-2 * Math.cos(omega)) / a0,
    (1 - alpha * amplitude) / a0,
  ];
  const [a1, a2] = [(-2 * Math.cos(omega)) / a0, (1 - alpha / amplitude) / a0];
  let [x1, x2, y1, y2] = [0, 0, 0, 0];
  return samples.map((x) => {
    const y = b0 * x + b1 * x1 + b2 * x2 - a1 * y1 - a2 * y2;
    [x2, x1, y2, y1] = [x1, x, y1, y];
    return y;
  });
}

function equalised(samples: Float32Array, random: Random): Float32Array {
  let result = samples;
  for (const [low, high] of [
    [120, 400],
    [500, 1200],
    [1500, 3200],
  ] as const) {
    result = peaking(result, between(random, low, high), between(random, -6, 6), between(random, 0.5, 1.5));
  }
  return result;
}

/** A direct path and 120 reflections that fade by 60 dB within the room's time. */
function room(random: Random): { delay: number; gain: number }[] {
  const fadeSeconds = between(random, 0.2, 0.45);
  const reflections = Array.from({ length: 120 }, () => {
    const seconds = between(random, 0.004, fadeSeconds);
    const gain = 0.12 * 10 ** ((-3 * seconds) / fadeSeconds) * (random() < 0.5 ? -1 : 1);
    return { delay: Math.round(seconds * sampleRate), gain };
  });
  return [{ delay: 0, gain: 1 }, ...reflections];
}

function reverberated(
  samples: Float32Array,
  paths: readonly { delay: number; gain: number }[],
): Float32Array {
  const result = new Float32Array(samples.length);
  for (const { delay, gain } of paths) {
    for (let index = delay; index < result.length; index += 1) {
      result[index] = (result[index] ?? 0) + gain * (samples[index - delay] ?? 0);
    }
  }
  return result;
}

function rms(samples: Float32Array): number {
  let sum = 0;
  for (const value of samples) sum += value * value;
  return Math.sqrt(sum / Math.max(1, samples.length));
}

/** Noise that falls towards high tones, as rooms have it. */
function addNoise(samples: Float32Array, level: number, random: Random): void {
  let low = 0;
  for (let index = 0; index < samples.length; index += 1) {
    const white = random() + random() + random() - 1.5;
    low = 0.85 * low + 0.5 * white;
    samples[index] = (samples[index] ?? 0) + level * 2.107 * low;
  }
}

/** The spoken stretches of a clean utterance: frames well above the quiet ones, pauses under 0.3 s bridged. */
export function spokenSpans(samples: Float32Array): { start: number; end: number }[] {
  const frame = sampleRate / 100;
  const levels: number[] = [];
  for (let start = 0; start + frame <= samples.length; start += frame) {
    levels.push(20 * Math.log10(rms(samples.subarray(start, start + frame)) + 1e-9));
  }
  const sorted = levels.toSorted((a, b) => a - b);
  const loud = sorted[Math.floor(sorted.length * 0.95)] ?? 0;
  const floor = sorted[Math.floor(sorted.length * 0.05)] ?? 0;
  const threshold = Math.min(Math.max(loud - 35, floor + 10), loud - 15);
  const spans: { start: number; end: number }[] = [];
  levels.forEach((level, index) => {
    if (level < threshold) return;
    const last = spans.at(-1);
    if (last && index - last.end < 30) last.end = index + 1;
    else spans.push({ start: index, end: index + 1 });
  });
  return spans
    .filter((span) => span.end - span.start >= 5)
    .map((span) => ({ start: span.start * frame, end: span.end * frame }));
}

/** Long readings in pieces of about four seconds and more, cut at pauses; only whole utterances keep their text. */
export function shortUtterances({ samples, text }: VoiceUtterance): VoiceUtterance[] {
  if (samples.length <= 10 * sampleRate) return [{ samples, text }];
  const pieces: VoiceUtterance[] = [];
  let from = 0;
  let to = 0;
  for (const span of spokenSpans(samples)) {
    if (to > from && span.end - from > 5 * sampleRate) {
      pieces.push({ samples: samples.slice(from, to), text: null });
      from = span.start;
    }
    to = span.end;
  }
  pieces.push({ samples: samples.slice(from, to), text: null });
  return pieces.filter((piece) => piece.samples.length >= 2 * sampleRate);
}

export interface Said {
  voice: Voice;
  utterance: VoiceUtterance;
}

/** Nobody speaks twice in a row; everybody speaks at least twice. */
function script(voices: readonly Voice[], turnCount: number, random: Random): Said[] {
  const used = new Map<string, number>();
  const said: Said[] = [];
  let last: Voice | undefined;
  for (let turn = 0; turn < turnCount; turn += 1) {
    const others = voices.filter((voice) => voice !== last || voices.length === 1);
    const behind = others.filter((voice) => (used.get(voice.name) ?? 0) < Math.floor(turn / voices.length));
    const pool = behind.length > 0 ? behind : others;
    const voice = pool[Math.floor(random() * pool.length)];
    if (!voice) break;
    const count = used.get(voice.name) ?? 0;
    const utterance = voice.utterances[count % voice.utterances.length];
    used.set(voice.name, count + 1);
    if (utterance) said.push({ voice, utterance });
    last = voice;
  }
  return said;
}

export function dialogue(name: string, voices: readonly Voice[], turnCount: number, seed: number): Dialogue {
  const random = seededRandom(seed);
  return spokenDialogue(name, script(voices, turnCount, random), random);
}

/** `plain`: the utterances as they are, at one level, without an equaliser, a room or noise. */
export function spokenDialogue(name: string, said: readonly Said[], random: Random, plain = false): Dialogue {
  const turns: LabelledTurn[] = [];
  const texts: SpokenText[] = [];
  const parts: { at: number; samples: Float32Array }[] = [];
  let at = Math.round(0.5 * sampleRate);
  for (const { voice, utterance } of said) {
    const spans = spokenSpans(utterance.samples);
    const first = spans[0]?.start ?? 0;
    const cut = utterance.samples.slice(first, spans.at(-1)?.end);
    const samples = plain ? cut : equalised(cut, random);
    const gain = (0.08 * (plain ? 1 : between(random, 0.7, 1.4))) / rms(samples);
    parts.push({ at, samples: samples.map((value) => value * gain) });
    for (const span of spans) {
      turns.push({
        speaker: voice.name,
        startSeconds: (at + span.start - first) / sampleRate,
        endSeconds: (at + span.end - first) / sampleRate,
      });
    }
    if (utterance.text !== null) texts.push({ speaker: voice.name, text: utterance.text });
    at += samples.length + Math.round(between(random, 0.15, 0.9) * sampleRate);
  }
  const dry = new Float32Array(at + Math.round(0.5 * sampleRate));
  for (const part of parts) dry.set(part.samples, part.at);
  const speakerCount = new Set(said.map(({ voice }) => voice.name)).size;
  if (plain) return { name, samples: dry, turns, texts, speakerCount };
  const samples = reverberated(dry, room(random));
  addNoise(samples, rms(samples) / 10 ** (between(random, 15, 22) / 20), random);
  return { name, samples, turns, texts, speakerCount };
}
