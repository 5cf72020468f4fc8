/** The name of the recording and what there is to know before reading. */
import type { ComponentChildren } from 'preact';
import { duration, when } from '../format.ts';
import { locale, text } from '../text.ts';
import type { TranscriptFacts } from './transcript-requests.ts';

export function Heading({ facts, children }: { facts: TranscriptFacts; children?: ComponentChildren }) {
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
    </header>
  );
}

export function titleOf(filename: string): string {
  return filename.replace(/\.[a-z0-9]{1,5}$/i, '') || filename;
}

function languageName(language: string | null): string | undefined {
  if (language === null) return undefined;
  try {
    return new Intl.DisplayNames(locale, { type: 'language' }).of(language);
  } catch {
    return undefined;
  }
}
