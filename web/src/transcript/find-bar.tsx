/** Finding words, and putting others in their place. */
import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { textPattern } from '../../../src/transcript/text-pattern.ts';
import { count } from '../format.ts';
import { text } from '../text.ts';
import type { Editor } from './editor.ts';
import type { Line } from './line.ts';

export interface Match {
  line: string;
  index: number;
  from: number;
  to: number;
}

interface FindBarProps {
  lines: readonly Line[];
  /** Undefined where the text can only be read. */
  editor: Editor | undefined;
  show(match: Match | undefined, all: readonly Match[]): void;
  close(): void;
}

/** More than anybody steps through. */
const matchesMax = 5_000;

export function FindBar({ lines, editor, show, close }: FindBarProps) {
  const words = text.transcript;
  const find = useSignal('');
  const replacement = useSignal('');
  const matchCase = useSignal(false);
  const wholeWords = useSignal(false);
  const at = useSignal(0);
  const told = useSignal('');
  const field = useRef<HTMLInputElement>(null);
  const matches = useMemo(
    () => matchesIn(lines, { find: find.value, matchCase: matchCase.value, wholeWords: wholeWords.value }),
    [lines, find.value, matchCase.value, wholeWords.value],
  );
  useEffect(() => {
    field.current?.focus();
    return () => show(undefined, []);
  }, [show]);
  const current = matches[Math.min(at.value, matches.length - 1)];
  const shown = useRef('');
  useEffect(() => {
    // Whoever writes while something is searched for stays where they are.
    const place = JSON.stringify([find.value, matchCase.value, wholeWords.value, at.value]);
    show(place === shown.current ? undefined : current, matches);
    shown.current = place;
  });
  const step = (by: number) => {
    if (matches.length > 0) at.value = (at.value + by + matches.length) % matches.length;
  };
  const replaceOne = () => {
    const line = current && lines[current.index];
    if (!line || !current) return;
    const replaced = line.text.slice(0, current.from) + replacement.value + line.text.slice(current.to);
    editor?.change([{ id: line.id, after: { ...line, text: replaced } }]);
  };
  const replaceAll = async () => {
    try {
      const changed = await editor?.replaceAll({
        find: find.value,
        replacement: replacement.value,
        match_case: matchCase.value,
        whole_words: wholeWords.value,
      });
      told.value = words.replaced(count(changed ?? 0));
    } catch {
      told.value = text.unreachable;
    }
  };
  return (
    <search class="find">
      <input
        ref={field}
        class="field"
        type="search"
        placeholder={words.find}
        aria-label={words.find}
        value={find.value}
        onInput={(event) => {
          find.value = event.currentTarget.value;
          at.value = 0;
          told.value = '';
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter') step(event.shiftKey ? -1 : 1);
          else if (event.key === 'Escape') close();
        }}
      />
      <span class="small quiet num" role="status">
        {told.value ||
          (find.value && words.found(count(matches.length === 0 ? 0 : at.value + 1), count(matches.length)))}
      </span>
      <button type="button" class="btn icon" aria-label={words.previous} onClick={() => step(-1)}>
        ↑
      </button>
      <button type="button" class="btn icon" aria-label={words.next} onClick={() => step(1)}>
        ↓
      </button>
      <label class="check small">
        <input
          type="checkbox"
          checked={matchCase.value}
          onChange={() => (matchCase.value = !matchCase.value)}
        />
        {words.matchCase}
      </label>
      <label class="check small">
        <input
          type="checkbox"
          checked={wholeWords.value}
          onChange={() => (wholeWords.value = !wholeWords.value)}
        />
        {words.wholeWords}
      </label>
      {editor && (
        <>
          <input
            class="field"
            placeholder={words.replaceBy}
            aria-label={words.replaceBy}
            value={replacement.value}
            onInput={(event) => {
              replacement.value = event.currentTarget.value;
            }}
          />
          <button type="button" class="btn small" disabled={!current} onClick={replaceOne}>
            {words.replaceOne}
          </button>
          <button type="button" class="btn small" disabled={!current} onClick={() => void replaceAll()}>
            {words.replaceAll}
          </button>
        </>
      )}
      <button type="button" class="btn icon" aria-label={words.close} onClick={close}>
        ×
      </button>
    </search>
  );
}

function matchesIn(
  lines: readonly Line[],
  pattern: { find: string; matchCase: boolean; wholeWords: boolean },
): Match[] {
  if (pattern.find.trim() === '') return [];
  const regex = textPattern(pattern);
  const matches: Match[] = [];
  for (const [index, { id, text: said }] of lines.entries()) {
    for (const { index: from, 0: found } of said.matchAll(regex))
      if (found !== '') matches.push({ line: id, index, from, to: from + found.length });
    if (matches.length >= matchesMax) break;
  }
  return matches;
}
