/** The name of the recording and what there is to know before reading. */
import type { ComponentChildren } from 'preact';
import { duration, position, when } from '../format.ts';
import { languageName, text } from '../text.ts';
import type { TranscriptFacts } from './transcript-requests.ts';

/** The first of them are enough to hear what is wrong with the recording. */
const unclearShown = 12;

interface HeadingProps {
  facts: TranscriptFacts;
  /** Undefined where there is nothing to hear. */
  play?: ((ms: number) => void) | undefined;
  children?: ComponentChildren;
}

export function Heading({ facts, play, children }: HeadingProps) {
  const words = text.transcript;
  const about = [
    facts.duration_seconds === null ? undefined : duration(facts.duration_seconds),
    languageName(facts.language),
    when(facts.created_at),
  ].filter(Boolean);
  return (
    <header class="heading">
      <h1>{titleOf(facts.filename)}</h1>
      <p class="small quiet num">
        {about.join(' · ')} {children}
      </p>
      {facts.is_truncated && <p class="notice small">{words.truncated}</p>}
      {facts.is_without_speakers && <p class="notice small">{words.withoutSpeakers}</p>}
      {facts.unclear.length > 0 && (
        <p class="notice small">
          {words.unclear(facts.unclear.length)}{' '}
          {facts.unclear.slice(0, unclearShown).map(({ start_ms }) => (
            <Place key={start_ms} ms={start_ms} play={play} />
          ))}
          {facts.unclear.length > unclearShown && '…'}
        </p>
      )}
    </header>
  );
}

function Place({ ms, play }: { ms: number; play: ((ms: number) => void) | undefined }) {
  const time = position(ms / 1000);
  if (!play) return <span class="num">{time} </span>;
  return (
    <>
      <button
        type="button"
        class="link num"
        aria-label={text.transcript.hearFrom(time)}
        onClick={() => play(ms)}
      >
        {time}
      </button>{' '}
    </>
  );
}

export function titleOf(filename: string): string {
  return filename.replace(/\.[a-z0-9]{1,5}$/i, '') || filename;
}
