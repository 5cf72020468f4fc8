import type { Database } from '../../platform/database/database.ts';
import { languageByVote } from '../../speech/recognizer/language/language-vote.ts';
import type { Speech } from '../../speech/speech.ts';
import { type Chunk, chunkPlan } from '../../timeline/chunk-plan.ts';
import { bytesPerSample } from '../../timeline/pcm-samples.ts';
import { sampleRate } from '../../timeline/sample-rate.ts';
import type { SpeechSpan } from '../../timeline/span.ts';
import type { RecognisedUtterance } from '../../timeline/utterance.ts';
import { type Transcript, transcript } from '../../transcript/transcript.ts';
import type { TranscriptWord } from '../../transcript/transcript-word.ts';
import { keptMedia } from '../../transcription/audio/kept-media.ts';
import { type PassageAudioDeps, passageAudio } from '../../transcription/audio/passage-audio.ts';
import { guessLanguages, isLanguageOpen } from '../../transcription/step/decide-language.ts';
import { expectationsOf } from '../../transcription/transcription.ts';
import { type EditionSegment, machineEdition } from '../edition.ts';
import { editionStore } from '../edition-store.ts';
import { writeEdition } from '../write-edition.ts';
import { linesAfterRerun } from './lines-after-rerun.ts';
import { RerunFailure, type RerunTask, type RunningRerun } from './rerun.ts';
import { rerunStore } from './rerun-store.ts';

export interface RerunPassageDeps extends PassageAudioDeps {
  db: Database;
  speech: Speech;
  /** What recognises where nobody chose a model. */
  engine: string;
}

interface HeardPassage {
  lines: EditionSegment[];
  words: TranscriptWord[];
}

/** Recognises a passage again and puts the result in the place of its lines. Repeating it after success changes nothing. */
export async function rerunPassage(
  deps: RerunPassageDeps,
  { rerunId }: RerunTask,
  signal: AbortSignal,
): Promise<void> {
  const rerun = await rerunStore.begin(deps.db, rerunId);
  if (!rerun) return;
  const media = await keptMedia(deps, rerun.transcriptionId);
  if (!media) throw new RerunFailure('media_gone');
  const audio = await passageAudio(deps, media, rerun, signal);
  const utterances = await recognised(deps, rerun, audio, signal);
  if (!utterances) return;
  const heard = placed(rerun, transcript(utterances));
  if (heard.lines.length === 0) throw new RerunFailure('no_words');
  signal.throwIfAborted();
  await replaceLines(deps, rerun, heard);
}

/** Undefined when it was taken back meanwhile. */
async function recognised(
  { db, speech, engine: ownEngine }: RerunPassageDeps,
  rerun: RunningRerun,
  audio: Buffer,
  signal: AbortSignal,
): Promise<RecognisedUtterance[] | undefined> {
  const engine = rerun.engine ?? ownEngine;
  speech.warmUp(engine, rerun.language);
  const { spans, totalSamples } = await speech.findSpeech(whole(audio), signal);
  const chunks = chunkPlan(spansOfLines(spans, rerun), totalSamples);
  const samplesOf = ({ startSample, endSample }: Chunk) =>
    audio.subarray(startSample * bytesPerSample, endSample * bytesPerSample);
  const language = isLanguageOpen(rerun.language, engine)
    ? languageByVote(await guessLanguages(speech, chunks, async (chunk) => samplesOf(chunk), signal))
    : rerun.language;
  const options = {
    engine,
    language,
    otherLanguages: rerun.language === null,
    translate: rerun.options.task === 'translate',
    ...expectationsOf(rerun.options),
    speakers: false,
  };
  const utterances: RecognisedUtterance[] = [];
  for (const [i, chunk] of chunks.entries()) {
    const result = await speech.recognise(samplesOf(chunk), chunk, options, signal);
    utterances.push(...result.utterances);
    if (!(await rerunStore.markProgress(db, rerun.id, (i + 1) / chunks.length))) return undefined;
  }
  return utterances;
}

/** Speech of which a part lies within the lines; the rest is of other lines, or was never written down. */
function spansOfLines(
  spans: readonly SpeechSpan[],
  { lines, startMs: beginsMs }: RunningRerun,
): SpeechSpan[] {
  const sampleAt = (ms: number) => ((ms - beginsMs) * sampleRate) / 1000;
  const from = sampleAt(Math.min(...lines.map(({ startMs }) => startMs)));
  const to = sampleAt(Math.max(...lines.map(({ endMs }) => endMs)));
  return spans.filter(({ startSample, endSample }) => endSample > from && startSample < to);
}

async function* whole(audio: Buffer): AsyncGenerator<Buffer> {
  yield audio;
}

/** Where it stands in the recording. */
function placed({ id, startMs }: RunningRerun, { segments, words }: Transcript): HeardPassage {
  const lines = machineEdition(segments).segments.map((line, i) => ({
    ...line,
    id: `${id}-${i}`,
    startMs: line.startMs + startMs,
    endMs: line.endMs + startMs,
  }));
  const later = words.map(
    ([text, from, to, ...rest]): TranscriptWord => [text, from + startMs, to + startMs, ...rest],
  );
  return { lines, words: later };
}

async function replaceLines(
  deps: RerunPassageDeps,
  rerun: RunningRerun,
  { lines, words }: HeardPassage,
): Promise<void> {
  const lineIds = rerun.lines.map(({ id }) => id);
  await writeEdition(
    deps,
    { accountId: rerun.accountId, id: rerun.transcriptionId },
    async (tx, standing) => {
      const current = await editionStore.current(tx, rerun.transcriptionId, lineIds);
      const before = rerun.lines.flatMap(({ id, revision }) => {
        const line = current.get(id);
        return line && !line.isDeleted && line.revision === revision ? [line] : [];
      });
      if (before.length < rerun.lines.length) throw new RerunFailure('changed');
      const isFirst = await rerunStore.markDone(tx, rerun, { revision: standing.revision + 1, words });
      return isFirst ? { segments: linesAfterRerun(before, lines) } : {};
    },
    { lineIds },
  );
}
