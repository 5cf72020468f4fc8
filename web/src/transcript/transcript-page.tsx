/** One recording: its text while it is made and afterwards, to read, hear, mend and take away. */
import { type Signal, signal, useSignal } from '@preact/signals';
import { useCallback, useEffect } from 'preact/hooks';
import { useRoute } from 'preact-iso';
import { Frame } from '../frame.tsx';
import { codeOf } from '../request.ts';
import { Loading, Trouble } from '../states.tsx';
import { text } from '../text.ts';
import { EditedText } from './edited-text.tsx';
import { Editor } from './editor.ts';
import { Heading, titleOf } from './heading.tsx';
import { LiveFeed } from './live-feed.ts';
import { randomId } from './outbox.ts';
import { Reading } from './reading.ts';
import { Reruns } from './reruns.ts';
import { type TranscriptFacts, TranscriptRequests } from './transcript-requests.ts';
import { UnsureWords } from './unsure-words.ts';

type State =
  | { kind: 'loading' }
  | { kind: 'trouble'; message: string }
  | { kind: 'failed'; facts: TranscriptFacts }
  | {
      kind: 'open';
      /** Of the visit: an import begins another. */
      visit: string;
      facts: Signal<TranscriptFacts>;
      editor: Editor;
      reading: Reading;
      requests: TranscriptRequests;
      reruns: Reruns;
      unsure: UnsureWords;
      /** While it is made. */
      live: LiveFeed | undefined;
    };

export function TranscriptPage() {
  const { params } = useRoute();
  const id = params.id ?? '';
  const state = useSignal<State>({ kind: 'loading' });
  const load = useCallback(async () => {
    close(state.peek());
    const next = await loaded(id, () => void load());
    state.value = next;
    if ('facts' in next) {
      const { filename } = next.kind === 'open' ? next.facts.peek() : next.facts;
      document.title = `${titleOf(filename)} · Longhand`;
    }
  }, [id, state]);
  useEffect(() => {
    void load();
    return () => close(state.peek());
  }, [load, state]);
  const now = state.value;
  if (now.kind === 'loading') return <Loading />;
  if (now.kind === 'trouble')
    return (
      <Frame>
        <Trouble retry={load}>{now.message}</Trouble>
      </Frame>
    );
  if (now.kind === 'open') return <EditedText key={now.visit} {...now} reload={() => void load()} />;
  return (
    <Frame>
      <main class="desk">
        <article class="sheet">
          <Heading facts={now.facts} />
          <p class="notice bad" role="alert">
            {now.facts.error}
          </p>
        </article>
      </main>
    </Frame>
  );
}

async function loaded(id: string, reload: () => void): Promise<State> {
  const requests = TranscriptRequests.ofOwner(id);
  try {
    const read = await requests.read();
    const isLive = read.facts.status === 'processing';
    const edition = isLive ? await requests.since(0) : read.edition;
    if (!edition) return { kind: 'failed', facts: read.facts };
    const facts = signal(read.facts);
    const editor = await Editor.open(id, requests, edition);
    const reading = new Reading(id, requests);
    reading.know(read.facts);
    const live = isLive ? new LiveFeed({ facts, editor, reading, requests }, reload) : undefined;
    const unsure = new UnsureWords({ requests, reading, editor });
    const reheard = () => {
      reading.words.forget();
      void unsure.load();
    };
    const reruns = new Reruns({ requests, editor, onDone: reheard });
    if (!isLive) void reruns.look();
    return { kind: 'open', visit: randomId(), facts, editor, reading, requests, reruns, unsure, live };
  } catch (error) {
    const isMissing = codeOf(error) === 'not_found';
    return { kind: 'trouble', message: isMissing ? text.notFound.title : text.unreachable };
  }
}

function close(state: State): void {
  if (state.kind !== 'open') return;
  state.live?.close();
  state.reruns.close();
  state.unsure.close();
  state.editor.close();
  state.reading.close();
}
