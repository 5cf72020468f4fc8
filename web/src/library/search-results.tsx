import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { position, when } from '../format.ts';
import { request } from '../request.ts';
import { Loading, Trouble } from '../states.tsx';
import { text } from '../text.ts';

interface Hit {
  transcription_id: string;
  name: string;
  created_at: string;
  said: { start: number; snippet: string } | null;
}

interface HitPage {
  hits: Hit[];
  next: string | null;
}

/** Names and everything that was said; each spot leads to its place in the sound. */
export function SearchResults({ query }: { query: string }) {
  const hits = useSignal<readonly Hit[] | undefined>(undefined);
  const next = useSignal<string | null>(null);
  const isBroken = useSignal(false);
  const load = async (cursor?: string, signal?: AbortSignal) => {
    const after = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const path = `/web/search?query=${encodeURIComponent(query)}${after}`;
    try {
      const page = await request<HitPage>('GET', path, signal ? { signal } : {});
      hits.value = cursor === undefined ? page.hits : [...(hits.value ?? []), ...page.hits];
      next.value = page.next;
      isBroken.value = false;
    } catch {
      if (!signal?.aborted) isBroken.value = true;
    }
  };
  useEffect(() => {
    const left = new AbortController();
    void load(undefined, left.signal);
    return () => left.abort();
  }, [query]);
  if (isBroken.value) return <Trouble retry={() => load()}>{text.library.notLoaded}</Trouble>;
  if (!hits.value) return <Loading />;
  if (hits.value.length === 0) return <p class="quiet empty">{text.library.searchEmpty(query)}</p>;
  return (
    <section aria-label={text.library.searchResults}>
      <ul class="ledger hits">
        {hits.value.map((hit) => (
          <li key={`${hit.transcription_id} ${hit.said?.start}`}>
            <HitRow hit={hit} query={query} />
          </li>
        ))}
      </ul>
      {next.value !== null && (
        <button type="button" class="btn" onClick={() => void load(next.value ?? undefined)}>
          {text.library.more}
        </button>
      )}
    </section>
  );
}

function HitRow({ hit, query }: { hit: Hit; query: string }) {
  const { said } = hit;
  const place = said ? `?t=${Math.floor(said.start)}` : '';
  return (
    <article class="hit">
      <h2 dir="auto">
        <a href={`/transcripts/${hit.transcription_id}${place}`}>
          {hit.name}
          {said && <span class="num quiet"> {position(said.start)}</span>}
        </a>
      </h2>
      {said ? (
        <p class="said-line" dir="auto">
          <Marked line={said.snippet} query={query} />
        </p>
      ) : (
        <p class="small quiet">
          {text.library.inName} · {when(hit.created_at)}
        </p>
      )}
    </article>
  );
}

function Marked({ line, query }: { line: string; query: string }) {
  const words = query.match(/[\p{L}\p{N}]+/gu) ?? [];
  if (words.length === 0) return <>{line}</>;
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])(${words.join('|')})`, 'giu');
  return (
    <>
      {line
        .split(pattern)
        .map((part, i) => (i % 2 === 1 ? <mark key={part + String(i)}>{part}</mark> : part))}
    </>
  );
}
