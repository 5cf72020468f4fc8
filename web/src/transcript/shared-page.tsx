/** A transcript that somebody shared by a link: to read and to hear, nothing else. */
import { useSignal } from '@preact/signals';
import { useCallback, useEffect, useMemo } from 'preact/hooks';
import { useRoute } from 'preact-iso';
import { day } from '../format.ts';
import { codeOf } from '../request.ts';
import { Loading, Trouble } from '../states.tsx';
import { text } from '../text.ts';
import { titleOf } from './heading.tsx';
import type { Line } from './line.ts';
import { Reading } from './reading.ts';
import { speakersIn } from './speaker-look.ts';
import { type TranscriptFacts, TranscriptRequests } from './transcript-requests.ts';
import { TranscriptView } from './transcript-view.tsx';

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
  const speakerIds = useMemo(() => speakersIn(lines, {}), [lines]);
  return (
    <>
      <header class="top">
        <span class="mark">Longhand</span>
        <span class="grow" />
        <span class="small quiet">
          {facts.expires_at ? text.transcript.shareUntil(day(facts.expires_at)) : ''}
        </span>
      </header>
      <TranscriptView
        facts={facts}
        lines={lines}
        speakerIds={speakerIds}
        named={named}
        reading={reading}
        requests={requests}
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
    reading.know(facts);
    document.title = `${titleOf(facts.filename)} · Longhand`;
    return { kind: 'open', facts, lines: reading.lines, named: edition?.speakers ?? {}, reading, requests };
  } catch (error) {
    const isMissing = codeOf(error) === 'not_found';
    return { kind: 'trouble', message: isMissing ? text.transcript.shareGone : text.unreachable };
  }
}
