/** Conversations of 30 to 90 s between two to four people, made from single utterances; no utterance is heard twice. */
import { sampleRate } from '../../src/timeline/sample-rate.ts';
import { type Dialogue, type Random, type Said, seededRandom, spokenDialogue } from './dialogue.ts';
import type { Voice, VoiceUtterance } from './voices.ts';

const secondsMin = 30;
const secondsMax = 90;
/** Somebody who says less than this is no speaker to be found by anybody. */
const voiceSecondsMin = 5;

const secondsOf = (utterances: readonly VoiceUtterance[]): number =>
  utterances.reduce((sum, { samples }) => sum + samples.length, 0) / sampleRate;

/** As many of the voice's utterances as make up its share of the conversation. */
function withShare(voice: Voice, seconds: number, random: Random): Voice {
  const left = [...voice.utterances];
  const utterances: VoiceUtterance[] = [];
  while (left.length > 0 && secondsOf(utterances) < seconds)
    utterances.push(...left.splice(Math.floor(random() * left.length), 1));
  return { ...voice, utterances };
}

/** Whoever has most left to say, the last one excepted; near the end one person may go on alone. */
function order(cast: readonly Voice[]): Said[] {
  const left = new Map(cast.map((voice) => [voice, [...voice.utterances]]));
  const said: Said[] = [];
  for (;;) {
    const waiting = [...left].filter(([, utterances]) => utterances.length > 0);
    const others = waiting.filter(([voice]) => voice !== said.at(-1)?.voice);
    const [next] = (others.length > 0 ? others : waiting).sort((a, b) => b[1].length - a[1].length);
    const utterance = next?.[1].shift();
    if (!next || !utterance) return said;
    said.push({ voice: next[0], utterance });
  }
}

/** The same for the same seed. Every second one is `plain`. */
export function shortConversation(voices: readonly Voice[], seed: number): Dialogue {
  const random = seededRandom(seed);
  const seconds = secondsMin + (secondsMax - secondsMin) * random();
  const pool = voices.filter(({ utterances }) => secondsOf(utterances) >= voiceSecondsMin);
  const count = 2 + (seed % 3);
  const cast = Array.from({ length: count }, () => pool.splice(Math.floor(random() * pool.length), 1)[0])
    .filter((voice) => voice !== undefined)
    .map((voice) => withShare(voice, Math.max(voiceSecondsMin, seconds / count), random));
  const name = cast.map((voice) => voice.name).join(', ');
  return spokenDialogue(name, order(cast), random, seed % 2 === 0);
}
