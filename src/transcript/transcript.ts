/** From recognised utterances to what people read: segments with times, and the whole text in paragraphs. */
import { sampleRate } from '../timeline/sample-rate.ts';
import type { SpeechSpan } from '../timeline/span.ts';
import type { SpeakerTurn } from '../timeline/turn.ts';
import type { RecognisedUtterance } from '../timeline/utterance.ts';
import { hundredths, type LedSegment, millisecondsOf, type Segment, Segments } from './segment.ts';
import { endsSentence, Sentences } from './sentences.ts';
import { type SpokenWord, SpokenWords } from './spoken-words.ts';
import type { TranscriptWord } from './transcript-word.ts';
import { turnsAtBreaks } from './turns-at-breaks.ts';

export interface Transcript {
  text: string;
  segments: Segment[];
  /** All words of the text in order; those of a segment lie within its times. */
  words: TranscriptWord[];
  /** In which most of it is spoken; null where no engine tells. */
  language: string | null;
  /** Where somebody speaks and no text could be believed, in order. */
  unclear: UnclearSpeech[];
}

export interface UnclearSpeech {
  startMs: number;
  endMs: number;
}

export function transcript(
  utterances: readonly RecognisedUtterance[],
  turns: readonly SpeakerTurn[] = [],
): Transcript {
  const spoken = new SpokenWords();
  const words = withSpeakers(
    utterances.flatMap((utterance) => spoken.add(utterance)),
    turns,
  );
  const sentences = new Sentences();
  const segments = new Segments();
  const led = [...words.flatMap((word) => sentences.add(word)), ...sentences.end()].flatMap((sentence) =>
    segments.of(sentence),
  );
  return {
    text: textOf(led),
    segments: led.map(({ segment }) => segment),
    words: words.map(transcriptWord),
    language: mainLanguage(utterances),
    unclear: utterances
      .filter(({ isUnclear }) => isUnclear)
      .map(({ startSample, endSample }) => ({
        startMs: millisecondsOf(startSample),
        endMs: millisecondsOf(endSample),
      })),
  };
}

function mainLanguage(utterances: readonly RecognisedUtterance[]): string | null {
  const seconds = new Map<string, number>();
  for (const { language, spans, text } of utterances) {
    if (language === null || text === '') continue;
    const voiced = spans.reduce((sum, span) => sum + span.endSample - span.startSample, 0);
    seconds.set(language, (seconds.get(language) ?? 0) + voiced);
  }
  return [...seconds].toSorted((a, b) => b[1] - a[1])[0]?.[0] ?? null;
}

function transcriptWord({ text, startSample, endSample, speaker, confidence }: SpokenWord): TranscriptWord {
  const [startMs, endMs] = [millisecondsOf(startSample), millisecondsOf(endSample)];
  if (confidence !== undefined) return [text, startMs, endMs, speaker ?? null, hundredths(confidence)];
  return speaker === undefined ? [text, startMs, endMs] : [text, startMs, endMs, speaker];
}

/**
 * The same transcript while its utterances still come, in order of time: each part is given once nothing that
 * follows can change it. All parts together are the transcript without speakers.
 */
export class LiveTranscript {
  readonly #words = new SpokenWords();
  readonly #sentences = new Sentences();
  readonly #segments = new Segments();

  add(utterance: RecognisedUtterance): LedSegment[] {
    const words = this.#words.add(utterance);
    return words
      .flatMap((word) => this.#sentences.add(word))
      .flatMap((sentence) => this.#segments.of(sentence));
  }

  end(): LedSegment[] {
    return this.#sentences.end().flatMap((sentence) => this.#segments.of(sentence));
  }
}

/** The segments of a finished transcript with their leads, found again in its text. */
export function ledSegments({ text, segments }: Pick<Transcript, 'text' | 'segments'>): LedSegment[] {
  let from = 0;
  return segments.map((segment) => {
    const at = Math.max(from, text.indexOf(segment.text, from));
    const lead = text.slice(from, at);
    from = at + segment.text.length;
    return { lead, segment };
  });
}

export function textOf(segments: readonly LedSegment[]): string {
  return segments.map(({ lead, segment }) => lead + segment.text).join('');
}

/** Words further from any turn than this lie where no speakers were embedded: no speaker is better than a wrong one. */
const turnSamplesAway = 3 * sampleRate;

function withSpeakers(words: readonly SpokenWord[], turns: readonly SpeakerTurn[]): readonly SpokenWord[] {
  if (turns.length === 0) return words;
  let next = 0;
  const spoken = words.map((word) => {
    const middle = (word.voiced.startSample + word.voiced.endSample) / 2;
    while (next + 1 < turns.length && distance(turns[next + 1], middle) <= distance(turns[next], middle))
      next++;
    const turn = turns[next];
    return turn && distance(turn, middle) <= turnSamplesAway ? { ...word, speaker: turn.speaker } : word;
  });
  return turnsAtBreaks(spoken, endsSentence);
}

function distance(turn: SpeechSpan | undefined, sample: number): number {
  if (!turn) return Number.POSITIVE_INFINITY;
  return Math.max(0, turn.startSample - sample, sample - turn.endSample);
}
