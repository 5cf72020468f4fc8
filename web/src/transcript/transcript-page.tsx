/** One recording: its text while it is made, then to read, hear, mend and take away. */
import { useSignal } from '@preact/signals';
import { useCallback, useEffect } from 'preact/hooks';
import { useRoute } from 'preact-iso';
import { Frame } from '../frame.tsx';
import { codeOf } from '../request.ts';
import { Loading, Trouble } from '../states.tsx';
import { text } from '../text.ts';
import { EditedText } from './edited-text.tsx';
import { Editor } from './editor.ts';
import { Heading, titleOf } from './heading.tsx';
import { LiveText } from './live-text.tsx';
import { randomId } from './outbox.ts';
import { Reading } from './reading.ts';
import { type TranscriptFacts, TranscriptRequests } from './transcript-requests.ts';

type State =
  | { kind: 'loading' }
  | { kind: 'trouble'; message: string }
  | { kind: 'live' | 'failed'; facts: TranscriptFacts }
  | {
      kind: 'done';
      /** Of the visit: an import begins another. */
      visit: string;
      facts: TranscriptFacts;
      editor: Editor;
      reading: Reading;
      requests: TranscriptRequests;
    };

export function TranscriptPage() {
  const { params } = useRoute();
  const id = params.id ?? '';
  const state = useSignal<State>({ kind: 'loading' });
  const load = useCallback(async () => {
    close(state.peek());
    state.value = await loaded(id);
    const { value } = state;
    if ('facts' in value) document.title = `${titleOf(value.facts.filename)} · Longhand`;
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
  if (now.kind === 'done') return <EditedText key={now.visit} {...now} reload={() => void load()} />;
  return (
    <Frame>
      <main class="desk">
        <article class="sheet">
          {now.kind === 'live' ? (
            <LiveText facts={now.facts} ended={load} />
          ) : (
            <>
              <Heading facts={now.facts} />
              <p class="notice bad" role="alert">
                {now.facts.error}
              </p>
            </>
          )}
        </article>
      </main>
    </Frame>
  );
}

async function loaded(id: string): Promise<State> {
  const requests = TranscriptRequests.ofOwner(id);
  try {
    const { facts, edition } = await requests.read();
    if (facts.status === 'processing') return { kind: 'live', facts };
    if (!edition) return { kind: 'failed', facts };
    const editor = await Editor.open(id, requests, edition);
    const reading = new Reading(id, requests);
    if (facts.duration_seconds !== null) reading.player.durationMs.value = facts.duration_seconds * 1000;
    if (facts.has_peaks) void reading.loadPeaks();
    return { kind: 'done', visit: randomId(), facts, editor, reading, requests };
  } catch (error) {
    const isMissing = codeOf(error) === 'not_found';
    return { kind: 'trouble', message: isMissing ? text.notFound.title : text.unreachable };
  }
}

function close(state: State): void {
  if (state.kind !== 'done') return;
  state.editor.close();
  state.reading.close();
}
