/** What can be done with a line: whose it is, and what becomes of it. */
import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { text } from '../text.ts';
import type { Editor } from './editor.ts';
import type { Line } from './line.ts';

export interface OpenMenu {
  line: Line;
  anchor: DOMRect;
}

interface LineMenuProps {
  open: OpenMenu;
  editor: Editor;
  nameOf(speaker: string): string;
  close(): void;
  askName(speaker: string): void;
  /** Undefined while more lines are to come. */
  askShift: ((line: Line) => void) | undefined;
  askRerun: ((line: Line) => void) | undefined;
}

const menuPixels = 260;
const gapPixels = 4;
const edgePixels = 8;

export function LineMenu({
  open: { line, anchor },
  editor,
  nameOf,
  close,
  askName,
  askShift,
  askRerun,
}: LineMenuProps) {
  const words = text.transcript;
  const isPassage = useSignal(true);
  const menu = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const own = menu.current;
    own?.showPopover();
    // Below what was clicked, or as far up as it must be to be whole.
    const top = Math.min(anchor.bottom + gapPixels, innerHeight - (own?.offsetHeight ?? 0) - edgePixels);
    if (own) own.style.top = `${Math.max(edgePixels, top)}px`;
    own?.querySelector<HTMLElement>('button')?.focus();
  }, [anchor]);
  const done = (work: () => void) => () => {
    work();
    close();
  };
  const assign = (speaker: string | null) => done(() => editor.assign(line.id, speaker, isPassage.value));
  const addSpeaker = done(() => {
    const speaker = editor.newSpeaker();
    editor.assign(line.id, speaker, isPassage.value);
    askName(speaker);
  });
  return (
    <div
      ref={menu}
      class="menu line-menu"
      popover="auto"
      role="menu"
      aria-label={words.menu}
      style={{
        left: `${Math.max(edgePixels, Math.min(anchor.left, innerWidth - menuPixels - edgePixels))}px`,
      }}
      onToggle={(event) => {
        if (event.newState === 'closed') close();
      }}
      onKeyDown={moveFocus}
    >
      <p class="small quiet" aria-hidden="true">
        {words.saidBy}
      </p>
      {editor.speakerIds.value.map((speaker, i) => (
        <button
          key={speaker}
          type="button"
          role="menuitemradio"
          aria-checked={speaker === line.speaker}
          style={{ '--v': `var(--v${(i % 8) + 1})` }}
          onClick={assign(speaker)}
        >
          <i class="dot" /> {nameOf(speaker)}
        </button>
      ))}
      <button type="button" role="menuitem" onClick={addSpeaker}>
        {words.newSpeaker}
      </button>
      <button
        type="button"
        role="menuitemcheckbox"
        aria-checked={isPassage.value}
        onClick={() => {
          isPassage.value = !isPassage.value;
        }}
      >
        {isPassage.value ? '☑' : '☐'} {words.wholePassage}
      </button>
      <hr />
      {line.speaker !== null && (
        <button type="button" role="menuitem" onClick={done(() => askName(line.speaker ?? ''))}>
          {words.rename(nameOf(line.speaker))}
        </button>
      )}
      <button type="button" role="menuitem" onClick={done(() => editor.join(line.id))}>
        {words.join}
      </button>
      {askShift && (
        <button type="button" role="menuitem" onClick={done(() => askShift(line))}>
          {words.shift}
        </button>
      )}
      {askRerun && (
        <button type="button" role="menuitem" onClick={done(() => askRerun(line))}>
          {text.rerun.menu}
        </button>
      )}
      <button type="button" role="menuitem" onClick={done(() => void copyLink(line))}>
        {words.copyLink}
      </button>
      <button type="button" role="menuitem" class="bad" onClick={done(() => editor.remove([line.id]))}>
        {words.remove}
      </button>
    </div>
  );
}

async function copyLink({ startMs }: Line): Promise<void> {
  const url = new URL(location.href);
  url.searchParams.set('t', String(Math.floor(startMs / 1000)));
  await navigator.clipboard?.writeText(url.href);
}

function moveFocus(event: KeyboardEvent): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined) return;
  const items = [...(event.currentTarget as HTMLElement).querySelectorAll('button')];
  const at = items.indexOf(document.activeElement as HTMLButtonElement);
  items[(at + step + items.length) % items.length]?.focus();
  event.preventDefault();
}
