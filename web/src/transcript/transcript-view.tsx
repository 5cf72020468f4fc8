/** A transcript as it is read and heard, by its owner or by somebody it was shared with. */
import type { ComponentChildren } from 'preact';
import { useCallback } from 'preact/hooks';
import { useSettled } from '../settled.ts';
import { Heading } from './heading.tsx';
import type { Line } from './line.ts';
import { LineList } from './line-list.tsx';
import { type LineActions, LineRow } from './line-row.tsx';
import { PlayerBar } from './player-bar.tsx';
import type { Reading } from './reading.ts';
import { RerunNote } from './rerun-note.tsx';
import type { Reruns } from './reruns.ts';
import { SidePanel } from './side-panel.tsx';
import { nameOfSpeaker, voiceOfSpeaker } from './speaker-look.ts';
import type { TranscriptFacts, TranscriptRequests } from './transcript-requests.ts';
import type { UnsureWords } from './unsure-words.ts';

const settleMs = 400;

/** What its owner can do with it. */
export interface OwnerTools {
  actions: LineActions;
  /** The line that is being written in. */
  focusedId: string | undefined;
  askName(speaker: string): void;
  reruns: Reruns;
  askRerun(line: Line): void;
  unsure: UnsureWords;
}

interface TranscriptViewProps {
  facts: TranscriptFacts;
  lines: readonly Line[];
  speakerIds: readonly string[];
  named: Readonly<Record<string, string>>;
  reading: Reading;
  requests: TranscriptRequests;
  /** Undefined where the text can only be read. */
  owner?: OwnerTools;
  /** Behind the facts under the title. */
  note?: ComponentChildren;
  above?: ComponentChildren;
  below?: ComponentChildren;
  beside?: ComponentChildren;
}

export function TranscriptView(props: TranscriptViewProps) {
  const { facts, lines, speakerIds, named, reading, requests, owner } = props;
  // What is drawn of all lines may be a moment late: whoever types must not wait for it.
  const settled = useSettled(lines, settleMs);
  const nameOf = (speaker: string) => nameOfSpeaker(speaker, named);
  const voiceOf = useCallback((speaker: string | null) => voiceOfSpeaker(speaker, speakerIds), [speakerIds]);
  return (
    <>
      <main class="desk">
        <article class="sheet">
          <Heading facts={facts} play={facts.media ? (ms) => reading.player.play(ms) : undefined}>
            {props.note}
          </Heading>
          {props.above}
          <LineList
            lines={lines}
            keptId={owner?.focusedId}
            onReady={reading.listed}
            onPlace={reading.placed}
            render={(line, index) => (
              <LineRow
                line={line}
                name={line.speaker === null ? undefined : nameOf(line.speaker)}
                voice={voiceOf(line.speaker)}
                isTurn={index === 0 || lines[index - 1]?.speaker !== line.speaker}
                hasSpeakers={speakerIds.length > 0}
                isSaid={reading.saidId.value === line.id}
                isWaiting={owner?.reruns.waitingIds.value.has(line.id) ?? false}
                note={owner && noteOf(line, owner)}
                actions={owner?.actions}
                hear={reading.hear}
              />
            )}
          />
          {props.below}
        </article>
        <SidePanel
          facts={facts}
          lines={settled}
          speakerIds={speakerIds}
          nameOf={nameOf}
          askName={owner?.askName}
          unsure={owner?.unsure}
        />
        {props.beside}
      </main>
      <PlayerBar
        player={reading.player}
        peaks={reading.peaks.value}
        mediaUrl={requests.mediaUrl}
        media={facts.media}
        isComing={facts.status === 'processing'}
        lines={settled}
        follows={reading.follows}
        voiceOf={voiceOf}
      />
    </>
  );
}

function noteOf(line: Line, { reruns, askRerun }: OwnerTools): ComponentChildren {
  const rerun = reruns.byLine.value.get(line.id);
  return rerun && <RerunNote rerun={rerun} reruns={reruns} again={() => askRerun(line)} />;
}
