/** Beside the text: who speaks how much, and what is known of the recording. */
import { useMemo } from 'preact/hooks';
import { bytes, count } from '../format.ts';
import { locale, text } from '../text.ts';
import type { Line } from './line.ts';
import type { TranscriptFacts } from './transcript-requests.ts';
import { UnsurePanel } from './unsure-panel.tsx';
import type { UnsureWords } from './unsure-words.ts';

const percent = new Intl.NumberFormat(locale, { style: 'percent' });

interface SidePanelProps {
  facts: TranscriptFacts;
  lines: readonly Line[];
  speakerIds: readonly string[];
  nameOf(speaker: string): string;
  /** Undefined where the text can only be read. */
  askName: ((speaker: string) => void) | undefined;
  unsure: UnsureWords | undefined;
}

export function SidePanel({ facts, lines, speakerIds, nameOf, askName, unsure }: SidePanelProps) {
  const words = text.transcript;
  const shares = useMemo(() => sharesOf(lines), [lines]);
  const spoken = useMemo(() => lines.reduce((sum, line) => sum + wordsIn(line), 0), [lines]);
  return (
    <section class={`side${unsure?.heard.value.length ? ' scrolls' : ''}`} aria-label={words.about}>
      {speakerIds.length > 0 && (
        <section>
          <h2>{words.speakers}</h2>
          <ul>
            {speakerIds.map((speaker, i) => (
              <li key={speaker} style={{ '--v': `var(--v${(i % 8) + 1})` }}>
                <i class="dot" />
                {askName ? (
                  <button type="button" class="link" onClick={() => askName(speaker)}>
                    {nameOf(speaker)}
                  </button>
                ) : (
                  nameOf(speaker)
                )}
                <span class="grow" />
                <span class="num quiet">{percent.format(shares.get(speaker) ?? 0)}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
      <section>
        <h2>{words.recording}</h2>
        <ul>
          <li class="quiet">
            {facts.filename}
            {facts.size_bytes === null ? '' : ` · ${bytes(facts.size_bytes)}`}
          </li>
          {spoken > 0 && <li class="quiet num">{words.wordCount(count(spoken))}</li>}
          {facts.published_at && <li class="quiet">{words.isPublished}</li>}
        </ul>
      </section>
      {unsure && <UnsurePanel unsure={unsure} />}
      {askName && (
        <section>
          <h2>{words.keys}</h2>
          <ul class="keyhelp">
            {words.keyHelp.map(([key, meaning]) => (
              <li key={key} class="quiet">
                <kbd>{key}</kbd> {meaning}
              </li>
            ))}
          </ul>
        </section>
      )}
    </section>
  );
}

/** Lines that did not change are the same objects: of ten thousand one is counted anew. */
const counted = new WeakMap<Line, number>();

function wordsIn(line: Line): number {
  const known = counted.get(line);
  if (known !== undefined) return known;
  const words = line.text.match(/\S+/g)?.length ?? 0;
  counted.set(line, words);
  return words;
}

function sharesOf(lines: readonly Line[]): Map<string, number> {
  const spokenMs = new Map<string, number>();
  let totalMs = 0;
  for (const { startMs, endMs, speaker } of lines) {
    if (speaker === null) continue;
    spokenMs.set(speaker, (spokenMs.get(speaker) ?? 0) + endMs - startMs);
    totalMs += endMs - startMs;
  }
  return new Map([...spokenMs].map(([speaker, ms]) => [speaker, totalMs > 0 ? ms / totalMs : 0]));
}
