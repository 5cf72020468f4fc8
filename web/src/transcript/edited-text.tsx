/** A transcript in the hands of its owner, also while it is made. */
import { type Signal, useSignal } from '@preact/signals';
import { useCallback, useEffect, useMemo } from 'preact/hooks';
import { Frame } from '../frame.tsx';
import { text } from '../text.ts';
import { putCaret } from './caret.ts';
import { Conflicts } from './conflicts.tsx';
import type { Editor } from './editor.ts';
import { ExportDialog } from './export-dialog.tsx';
import { FindBar, type Match } from './find-bar.tsx';
import { mark, rangeIn } from './highlights.ts';
import { LineMenu, type OpenMenu } from './line-menu.tsx';
import type { LineActions } from './line-row.tsx';
import type { LiveFeed } from './live-feed.ts';
import { LiveChip, Pen } from './live-state.tsx';
import { NameDialog } from './name-dialog.tsx';
import { NarrowTools } from './narrow-tools.tsx';
import { onceDrawn } from './once-drawn.ts';
import type { OpenDialog } from './open-dialog.ts';
import { lineElement, type Reading } from './reading.ts';
import { RerunDialog } from './rerun-dialog.tsx';
import type { Reruns } from './reruns.ts';
import { SaveState } from './save-state.tsx';
import { ShareDialog } from './share-dialog.tsx';
import { ShiftDialog } from './shift-dialog.tsx';
import { nameOfSpeaker } from './speaker-look.ts';
import type { TranscriptFacts, TranscriptRequests } from './transcript-requests.ts';
import { TranscriptView } from './transcript-view.tsx';
import { useUnsureKey } from './unsure-panel.tsx';
import type { UnsureWords } from './unsure-words.ts';

interface EditedTextProps {
  facts: Signal<TranscriptFacts>;
  editor: Editor;
  reading: Reading;
  requests: TranscriptRequests;
  reruns: Reruns;
  unsure: UnsureWords;
  live: LiveFeed | undefined;
  reload(): void;
}

export function EditedText({
  editor,
  reading,
  requests,
  reruns,
  unsure,
  live,
  reload,
  ...props
}: EditedTextProps) {
  const facts = props.facts.value;
  const isLive = facts.status === 'processing';
  const open = useSignal<OpenDialog>(undefined);
  const menu = useSignal<OpenMenu | undefined>(undefined);
  const isFinding = useSignal(false);
  const focusedId = useSignal<string | undefined>(undefined);
  const publishedAt = useSignal(facts.published_at);
  const lines = editor.lines.value;
  const named = editor.speakers.value;
  reading.lines = lines;
  const nameOf = (speaker: string) => nameOfSpeaker(speaker, named);
  const actions = useMemo(
    () => actionsOf({ editor, reading, focusedId, menu }),
    [editor, reading, focusedId, menu],
  );
  const showMatch = useCallback(
    (match: Match | undefined, all: readonly Match[]) => showMatches(reading, match, all),
    [reading],
  );
  useFindKey(isFinding);
  useUnsureKey(unsure);
  useEffect(() => {
    if (!isLive) void unsure.load();
  }, [isLive, unsure]);
  useEffect(unsure.draw, [lines, unsure]);
  const close = () => {
    open.value = undefined;
  };
  const now = open.value;
  return (
    <Frame
      tools={
        <div class="tools">
          <SaveState editor={editor} />
          <button
            type="button"
            class="btn wide"
            aria-pressed={isFinding.value}
            onClick={() => (isFinding.value = !isFinding.value)}
          >
            {text.transcript.find}
          </button>
          {!isLive && (
            <>
              <button type="button" class="btn wide" onClick={() => (open.value = { kind: 'share' })}>
                {text.transcript.share}
              </button>
              <button type="button" class="btn main" onClick={() => (open.value = { kind: 'export' })}>
                {text.transcript.export}
              </button>
            </>
          )}
        </div>
      }
    >
      {isFinding.value && (
        <FindBar lines={lines} editor={editor} show={showMatch} close={() => (isFinding.value = false)} />
      )}
      <TranscriptView
        facts={{ ...facts, published_at: publishedAt.value }}
        lines={lines}
        speakerIds={editor.speakerIds.value}
        named={named}
        reading={reading}
        requests={requests}
        owner={{
          actions,
          focusedId: focusedId.value,
          askName: (speaker) => (open.value = { kind: 'name', speaker }),
          reruns,
          unsure,
          askRerun: (line) => (open.value = { kind: 'rerun', line }),
        }}
        note={isLive && <LiveChip progress={live?.progress.value} />}
        above={
          <>
            <NarrowTools {...{ editor, unsure, isLive, isFinding, open }} />
            <Conflicts editor={editor} show={(index) => reading.show(index)} />
            {lines.length === 0 && !isLive && <p class="quiet empty">{text.transcript.noSpeech}</p>}
          </>
        }
        below={isLive && <Pen progress={live?.progress.value} />}
        beside={
          menu.value && (
            <LineMenu
              key={menu.value.line.id}
              open={menu.value}
              editor={editor}
              nameOf={nameOf}
              close={() => (menu.value = undefined)}
              askName={(speaker) => (open.value = { kind: 'name', speaker })}
              askRerun={isLive ? undefined : (line) => (open.value = { kind: 'rerun', line })}
              askShift={isLive ? undefined : (line) => (open.value = { kind: 'shift', line })}
            />
          )
        }
      />
      {now?.kind === 'name' && (
        <NameDialog speaker={now.speaker} editor={editor} nameOf={nameOf} close={close} />
      )}
      {now?.kind === 'shift' && <ShiftDialog line={now.line} editor={editor} close={close} />}
      {now?.kind === 'rerun' && (
        <RerunDialog {...{ line: now.line, lines, reruns, requests, close }} language={facts.language} />
      )}
      {now?.kind === 'export' && (
        <ExportDialog editor={editor} requests={requests} nameOf={nameOf} close={close} imported={reload} />
      )}
      {now?.kind === 'share' && (
        <ShareDialog
          requests={requests}
          isPublished={publishedAt.value !== null}
          setPublished={async (isPublished) => {
            await editor.save.flush();
            await requests.publish(isPublished);
            publishedAt.value = isPublished ? new Date().toISOString() : null;
          }}
          close={close}
        />
      )}
    </Frame>
  );
}

function actionsOf({
  editor,
  reading,
  focusedId,
  menu,
}: {
  editor: Editor;
  reading: Reading;
  focusedId: { value: string | undefined };
  menu: { value: OpenMenu | undefined };
}): LineActions {
  const putLater = (id: string | undefined, offset: number) => {
    if (id === undefined) return;
    focusedId.value = id;
    onceDrawn(
      id,
      (element) => putCaret(element, offset),
      () => reading.show(editor.indexOf(id)),
    );
  };
  return {
    type(id, said) {
      reading.player.pause();
      editor.type(id, said);
    },
    split(id, offset) {
      const line = editor.lines.peek().find((one) => one.id === id);
      if (line) putLater(editor.split(id, offset, reading.timeAt(line, offset)), 0);
    },
    join(id) {
      const joined = editor.join(id);
      putLater(joined?.id, joined?.offset ?? 0);
    },
    undo(isRedo) {
      const changed = editor.undo(isRedo);
      const line = editor.lines.peek().find(({ id }) => id === changed);
      if (line) putLater(line.id, line.text.length);
    },
    hear: (line, offset) => void reading.hear(line, offset),
    leave(id, direction) {
      const next = editor.lines.peek()[editor.indexOf(id) + direction];
      if (next) putLater(next.id, direction < 0 ? next.text.length : 0);
    },
    menu(line, anchor) {
      menu.value = { line, anchor: anchor.getBoundingClientRect() };
    },
    focused(id) {
      focusedId.value = id;
    },
  };
}

function showMatches(reading: Reading, match: Match | undefined, all: readonly Match[]): void {
  if (match) reading.show(match.index);
  const draw = () => {
    const ranges = all.flatMap((one) => rangeIn(lineElement(one.line), one.from, one.to) ?? []);
    mark('found', ranges);
  };
  // Once the list has scrolled there.
  requestAnimationFrame(() => requestAnimationFrame(draw));
}

function useFindKey(isFinding: { value: boolean }): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 'f') return;
      event.preventDefault();
      isFinding.value = true;
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [isFinding]);
}
