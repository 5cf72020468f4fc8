/** Cuts utterances where the speaker changes, before they are recognised: each is spoken by one person. */

import type { Chunk } from '../../../timeline/chunk-plan.ts';
import { sampleRate } from '../../../timeline/sample-rate.ts';
import type { SpeechSpan } from '../../../timeline/span.ts';
import type { Speaker, SpeakerTurn } from '../../../timeline/turn.ts';
import type { Utterance } from '../../../timeline/utterance.ts';

/** Less speech than this is a back-channel or an error; alone it is misrecognised. */
const pieceSamplesMin = 0.8 * sampleRate;

export function overlapSamples(one: SpeechSpan, other: SpeechSpan): number {
  return Math.max(0, Math.min(one.endSample, other.endSample) - Math.max(one.startSample, other.startSample));
}

/** Who speaks most of a span; undefined where no turn touches it. */
function speakerOf(span: SpeechSpan, turns: readonly SpeakerTurn[]): Speaker | undefined {
  const shares = new Map<Speaker, number>();
  for (const turn of turns) {
    const shared = overlapSamples(span, turn);
    if (shared > 0) shares.set(turn.speaker, (shares.get(turn.speaker) ?? 0) + shared);
  }
  return [...shares].sort((a, b) => b[1] - a[1])[0]?.[0];
}

interface Piece {
  speaker: Speaker | undefined;
  spans: SpeechSpan[];
}

function voicedSamples(spans: readonly SpeechSpan[]): number {
  return spans.reduce((sum, span) => sum + span.endSample - span.startSample, 0);
}

/** Spans of one speaker in a row; every cut lies in a pause. */
function piecesOf(spans: readonly SpeechSpan[], turns: readonly SpeakerTurn[]): Piece[] {
  const pieces: Piece[] = [];
  for (const span of spans) {
    const speaker = speakerOf(span, turns);
    const last = pieces.at(-1);
    if (last && (speaker === undefined || last.speaker === speaker)) last.spans.push(span);
    else pieces.push({ speaker, spans: [span] });
  }
  return pieces;
}

/** Gives each piece that is too short to its larger neighbour, the shortest first. */
function withoutShort(pieces: readonly Piece[]): Piece[] {
  let kept = [...pieces];
  while (kept.length > 1) {
    const lengths = kept.map((piece) => voicedSamples(piece.spans));
    const shortest = lengths.indexOf(Math.min(...lengths));
    if ((lengths[shortest] ?? 0) >= pieceSamplesMin) break;
    const into = (lengths[shortest - 1] ?? -1) >= (lengths[shortest + 1] ?? -1) ? shortest - 1 : shortest + 1;
    const [low, high] = [Math.min(shortest, into), Math.max(shortest, into)];
    const joined = {
      speaker: kept[into]?.speaker,
      spans: kept.slice(low, high + 1).flatMap((piece) => piece.spans),
    };
    kept = rejoined([...kept.slice(0, low), joined, ...kept.slice(high + 1)]);
  }
  return kept;
}

/** Neighbours of one speaker become one piece. */
function rejoined(pieces: readonly Piece[]): Piece[] {
  const joined: Piece[] = [];
  for (const piece of pieces) {
    const last = joined.at(-1);
    if (last && last.speaker === piece.speaker) last.spans.push(...piece.spans);
    else joined.push({ speaker: piece.speaker, spans: [...piece.spans] });
  }
  return joined;
}

function utteranceOf(spans: SpeechSpan[]): Utterance {
  const startSample = spans[0]?.startSample ?? 0;
  return { startSample, endSample: spans.at(-1)?.endSample ?? startSample, spans };
}

export function cutAtTurns(chunk: Chunk, turns: readonly SpeakerTurn[]): Chunk {
  const utterances = chunk.utterances.flatMap((utterance) => {
    const pieces = withoutShort(piecesOf(utterance.spans, turns));
    return pieces.length < 2 ? [utterance] : pieces.map((piece) => utteranceOf(piece.spans));
  });
  return { ...chunk, utterances };
}
