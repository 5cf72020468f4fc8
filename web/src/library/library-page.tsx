import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { AddSection } from '../add/add-section.tsx';
import { UploadRows } from '../add/upload-rows.tsx';
import { count } from '../format.ts';
import { Frame } from '../frame.tsx';
import { Loading, Trouble } from '../states.tsx';
import { text } from '../text.ts';
import { VirtualList } from '../virtual-list.tsx';
import { EntryRow } from './entry-row.tsx';
import {
  choose,
  type Entry,
  type Filter,
  filter,
  followLibrary,
  isBroken,
  loadLibrary,
  loadMore,
  shownEntries,
  total,
} from './library.ts';
import { SearchResults } from './search-results.tsx';

const filters = ['all', 'processing', 'completed', 'failed'] as const satisfies Filter[];
const rowPixels = 82;
/** Somebody who types has not asked yet. */
const typingMs = 250;

export function LibraryPage() {
  const { query } = useLocation();
  useEffect(() => {
    document.title = `${text.library.title} · Longhand`;
    void loadLibrary();
    const left = new AbortController();
    followLibrary(left.signal);
    return () => left.abort();
  }, []);
  const wanted = query.q?.trim() ?? '';
  return (
    <Frame tools={<SearchField />}>
      <main class="page">
        <AddSection />
        <UploadRows />
        {wanted === '' ? <Ledger /> : <SearchResults query={wanted} />}
      </main>
    </Frame>
  );
}

function SearchField() {
  const { query, route } = useLocation();
  const value = useSignal(query.q ?? '');
  useEffect(() => {
    const timer = setTimeout(() => {
      const wanted = value.value.trim();
      if (wanted !== (query.q ?? '')) route(wanted === '' ? '/' : `/?q=${encodeURIComponent(wanted)}`, true);
    }, typingMs);
    return () => clearTimeout(timer);
  }, [value.value, query.q, route]);
  return (
    <search>
      <input
        class="field"
        type="search"
        placeholder={text.frame.search}
        aria-label={text.frame.search}
        maxLength={400}
        value={value.value}
        onInput={(event) => (value.value = event.currentTarget.value)}
      />
    </search>
  );
}

function Ledger() {
  const entries = shownEntries.value;
  if (!entries) {
    if (isBroken.value) return <Trouble retry={loadLibrary}>{text.library.notLoaded}</Trouble>;
    return <Loading />;
  }
  if (total.value.all === 0 && entries.length === 0) return <Empty />;
  return (
    <>
      <FilterBar />
      {isBroken.value && (
        <p class="notice bad" role="alert">
          {text.unreachable}
        </p>
      )}
      {entries.length === 0 ? (
        <p class="quiet empty">{text.library.emptyFilter}</p>
      ) : (
        <VirtualList
          label={text.library.title}
          items={entries}
          keyOf={idOf}
          rowPixels={rowPixels}
          render={renderEntry}
          onEnd={loadMore}
        />
      )}
    </>
  );
}

const idOf = ({ id }: Entry) => id;
const renderEntry = (entry: Entry) => <EntryRow entry={entry} />;

function FilterBar() {
  return (
    <fieldset class="filters">
      <legend class="hidden-text">{text.library.filter}</legend>
      {filters.map((one) => (
        <label key={one}>
          <input
            type="radio"
            name="filter"
            value={one}
            checked={filter.value === one}
            onChange={() => choose(one)}
          />
          <span>
            {text.library[one]} <span class="num quiet">{count(total.value[one])}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

function Empty() {
  return (
    <section class="empty">
      <h2>{text.library.emptyTitle}</h2>
      <p class="quiet">{text.library.emptyHint}</p>
      <p>
        <a href="/docs">{text.library.emptyApi}</a>
      </p>
    </section>
  );
}
