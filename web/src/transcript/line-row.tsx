/** One line: who says it, when, and what; to read, to hear and to write in. */
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { position } from '../format.ts';
import { text } from '../text.ts';
import { caretOffset, lineText, putCaret } from './caret.ts';
import type { Line } from './line.ts';

export interface LineActions {
  type(id: string, text: string): void;
  split(id: string, offset: number): void;
  join(id: string): void;
  undo(isRedo: boolean): void;
  /** Hear it from the word at this place of the text. */
  hear(line: Line, offset: number): void;
  /** Another line, from this one. */
  leave(id: string, direction: -1 | 1): void;
  menu(line: Line, anchor: HTMLElement): void;
  focused(id: string | undefined): void;
}

export interface LineRowProps {
  line: Line;
  name: string | undefined;
  voice: number | undefined;
  /** The one before is said by somebody else. */
  isTurn: boolean;
  /** Without any, nobody is named. */
  hasSpeakers: boolean;
  isSaid: boolean;
  /** It is being recognised again. */
  isWaiting: boolean;
  /** Under the words. */
  note?: ComponentChildren;
  /** Undefined where the text can only be read. */
  actions: LineActions | undefined;
  hear(line: Line, offset: number): void;
}

export function LineRow(props: LineRowProps) {
  const { line, name, voice, isTurn, hasSpeakers, isSaid, isWaiting, actions, hear } = props;
  const words = text.transcript;
  const time = position(line.startMs / 1000);
  return (
    <section
      class={`turn${isTurn ? '' : ' goes-on'}${isSaid ? ' is-said' : ''}${isWaiting ? ' is-waiting' : ''}`}
      style={voice === undefined ? undefined : { '--v': `var(--v${voice})` }}
    >
      <div class="who">
        {isTurn &&
          hasSpeakers &&
          (actions ? (
            <button
              type="button"
              class="name"
              aria-haspopup="menu"
              aria-label={words.speakerOfLine(name ?? words.noSpeaker, time)}
              onClick={(event) => actions.menu(line, event.currentTarget)}
            >
              {name ?? words.noSpeaker}
            </button>
          ) : (
            name && <b>{name}</b>
          ))}
        <button
          type="button"
          class="time num"
          aria-label={words.hearFrom(time)}
          onClick={() => hear(line, 0)}
        >
          {time}
        </button>
      </div>
      <div class="words">
        {actions ? (
          <Writable line={line} label={words.lineLabel(name ?? words.noSpeaker, time)} actions={actions} />
        ) : (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the button with the time does the same.
          <p class="said" data-line={line.id} onClick={(event) => hear(line, pointedOffset(event))}>
            {line.text}
          </p>
        )}
        {actions && (
          <button
            type="button"
            class="more"
            aria-haspopup="menu"
            aria-label={words.lineMenu(time)}
            onClick={(event) => actions.menu(line, event.currentTarget)}
          >
            ⋯
          </button>
        )}
        {props.note}
      </div>
    </section>
  );
}

function Writable({ line, label, actions }: { line: Line; label: string; actions: LineActions }) {
  const element = useRef<HTMLDivElement>(null);
  // The text is ours, not Preact's: what somebody types is in the document already, and must not be set again.
  useLayoutEffect(() => {
    const own = element.current;
    if (!own || own.textContent === line.text) return;
    const at = document.activeElement === own ? caretOffset(own) : undefined;
    own.textContent = line.text;
    if (at !== undefined) putCaret(own, Math.min(at, line.text.length));
  }, [line.text]);
  const onKey = (event: KeyboardEvent) => {
    const own = element.current;
    if (!own || event.isComposing) return;
    const isCommand = event.ctrlKey || event.metaKey;
    const at = caretOffset(own);
    if (isCommand && event.key.toLowerCase() === 'z') actions.undo(event.shiftKey);
    else if (isCommand && event.key.toLowerCase() === 'y') actions.undo(true);
    else if (isCommand) return;
    else if (event.key === 'Enter') actions.split(line.id, at ?? line.text.length);
    else if (event.key === 'Backspace' && at === 0) actions.join(line.id);
    else if (event.key === 'Escape') own.blur();
    else if (event.key === 'ArrowUp' && at === 0) actions.leave(line.id, -1);
    else if (event.key === 'ArrowDown' && at === line.text.length) actions.leave(line.id, 1);
    else return;
    event.preventDefault();
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: an input has one line and no wrapping text.
    <div
      ref={element}
      class="said"
      data-line={line.id}
      contentEditable="plaintext-only"
      role="textbox"
      tabIndex={0}
      aria-label={label}
      spellcheck
      onInput={(event) => actions.type(line.id, lineText(event.currentTarget))}
      onKeyDown={onKey}
      onBeforeInput={(event) => {
        const kind = (event as InputEvent).inputType;
        if (kind === 'historyUndo' || kind === 'historyRedo') {
          event.preventDefault();
          actions.undo(kind === 'historyRedo');
        }
      }}
      onPointerDown={(event) => {
        event.currentTarget.dataset.fresh = String(document.activeElement !== event.currentTarget);
      }}
      onClick={(event) => {
        // The first click into a line is for the ear; whoever writes in it moves the caret.
        if (event.currentTarget.dataset.fresh === 'true' && getSelection()?.isCollapsed)
          actions.hear(line, caretOffset(event.currentTarget) ?? 0);
      }}
      onFocus={() => actions.focused(line.id)}
      onBlur={() => actions.focused(undefined)}
    />
  );
}

/** Where in the text a click fell. */
function pointedOffset(event: MouseEvent): number {
  const point = document.caretPositionFromPoint?.(event.clientX, event.clientY);
  return point?.offset ?? 0;
}
