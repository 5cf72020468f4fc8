/** A transcript that somebody shared by a link: to read and to hear, nothing else. */
import { useSignal } from '@preact/signals';
import { useCallback, useEffect } from 'preact/hooks';
import { useRoute } from 'preact-iso';
import { day } from '../format.ts';
import { codeOf } from '../request.ts';
import { Loading, Trouble } from '../states.tsx';
import { text } from '../text.ts';
import { Heading, titleOf } from './heading.tsx';
import type { Line } from './line.ts';
import { LineList } from './line-list.tsx';
import { LineRow } from './line-row.tsx';
import { PlayerBar } from './player-bar.tsx';
import { Reading } from './reading.ts';
import { SidePanel } from './side-panel.tsx';
import { nameOfSpeaker, voiceOfSpeaker } from './speaker-look.ts';
import { type TranscriptFacts, TranscriptRequests } from './transcript-requests.ts';

interface Shared {
  facts: TranscriptFacts;
  lines: readonly Line[];
  named: Readonly<Record<string, string>>;
  reading: Reading;
  requests: TranscriptRequests;
}

type State = { kind: 'loading' } | { kind: 'trouble'; message: string } | ({ kind: 'open' } & Shared);

export function SharedPage() {
  const { params } = useRoute();
  const token = params.token ?? '';
  const state = useSignal<State>({ kind: 'loading' });
  const load = useCallback(async () => {
    state.value = await opened(token);
  }, [token, state]);
  useEffect(() => {
    void load();
    return () => {
      if (state.peek().kind === 'open') (state.peek() as Shared).reading.close();
    };
  }, [load, state]);
  const now = state.value;
  if (now.kind === 'loading') return <Loading />;
  if (now.kind === 'trouble') return <Trouble retry={load}>{now.message}</Trouble>;
  return <SharedText {...now} />;
}

function SharedText({ facts, lines, named, reading, requests }: Shared) {
  const ids = [...new Set(lines.flatMap(({ speaker }) => speaker ?? []))].sort((a, b) =>
    a.localeCompare(b, undefined, { numeric: true }),
  );
  const nameOf = (speaker: string) => nameOfSpeaker(speaker, named);
  const voiceOf = useCallback((speaker: string | null) => voiceOfSpeaker(speaker, ids), [ids]);
  return (
    <>
      <header class="top">
        <span class="mark">Longhand</span>
        <span class="grow" />
        <span class="small quiet">
          {facts.expires_at ? text.transcript.shareUntil(day(facts.expires_at)) : ''}
        </span>
      </header>
      <main class="desk">
        <article class="sheet">
          <Heading facts={facts} />
          <LineList
            lines={lines}
            keptId={undefined}
            onReady={reading.listed}
            onPlace={reading.placed}
            render={(line, index) => (
              <LineRow
                line={line}
                name={line.speaker === null ? undefined : nameOf(line.speaker)}
                voice={voiceOf(line.speaker)}
                isTurn={index === 0 || lines[index - 1]?.speaker !== line.speaker}
                isSaid={reading.saidId.value === line.id}
                actions={undefined}
                hear={reading.hear}
              />
            )}
          />
        </article>
        <SidePanel facts={facts} lines={lines} speakerIds={ids} nameOf={nameOf} askName={undefined} />
      </main>
      <PlayerBar
        player={reading.player}
        peaks={reading.peaks.value}
        mediaUrl={requests.mediaUrl}
        media={facts.media}
        lines={lines}
        follows={reading.follows}
        voiceOf={voiceOf}
      />
    </>
  );
}

async function opened(token: string): Promise<State> {
  const requests = TranscriptRequests.ofShare(token);
  try {
    const { facts, edition } = await requests.read();
    const reading = new Reading(facts.id, requests);
    reading.lines = edition?.lines ?? [];
    if (facts.duration_seconds !== null) reading.player.durationMs.value = facts.duration_seconds * 1000;
    if (facts.has_peaks) void reading.loadPeaks();
    document.title = `${titleOf(facts.filename)} · Longhand`;
    return { kind: 'open', facts, lines: reading.lines, named: edition?.speakers ?? {}, reading, requests };
  } catch (error) {
    const isMissing = codeOf(error) === 'not_found';
    return { kind: 'trouble', message: isMissing ? text.transcript.shareGone : text.unreachable };
  }
}
