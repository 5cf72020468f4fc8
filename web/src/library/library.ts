/** The person's transcripts: read page by page, kept up to date while the page is looked at. */
import { computed, signal } from '@preact/signals';
import { request } from '../request.ts';
import { loadSession } from '../session.ts';

export interface Entry {
  id: string;
  number: string;
  name: string;
  filename: string;
  created_at: string;
  duration_seconds: number | null;
  status: 'processing' | 'completed' | 'failed';
  stage: 'waiting' | 'queued' | 'fetching' | 'decoding' | 'recognising' | 'finishing' | 'done';
  percent: number;
  seconds_left: number | null;
  language: string | null;
  speaker_diarization: boolean;
  source_url: string | null;
  notes: string[];
  last_words: string | null;
  error: string | null;
  error_code: string | null;
}

export type Filter = Entry['status'] | 'all';

interface Page {
  entries: Entry[];
  next: string | null;
  counts: Record<Entry['status'], number>;
}

/** While something runs, and otherwise: jobs that others of the account make appear, too. */
const busyEveryMs = 1_500;
const idleEveryMs = 10_000;
const followedMax = 100;

export const filter = signal<Filter>('all');
const entries = signal<readonly Entry[] | undefined>(undefined);
const counts = signal<Page['counts']>({ processing: 0, completed: 0, failed: 0 });
export const isBroken = signal(false);
/** Deleted on this page; the service hears of it when there is no way back any more. */
export const hiddenIds = signal<ReadonlySet<string>>(new Set());
let next: string | null = null;
let isLoadingMore = false;

export const shownEntries = computed(() =>
  entries.value?.filter(
    ({ id, status }) => !hiddenIds.value.has(id) && (filter.value === 'all' || filter.value === status),
  ),
);
export const total = computed(() => {
  const { processing, completed, failed } = counts.value;
  return { all: processing + completed + failed, processing, completed, failed };
});

export async function loadLibrary(): Promise<void> {
  const wanted = filter.value;
  try {
    const page = await request<Page>('GET', pagePath(wanted));
    if (wanted !== filter.value) return;
    entries.value = page.entries;
    counts.value = page.counts;
    next = page.next;
    isBroken.value = false;
  } catch {
    isBroken.value = true;
  }
}

export function choose(wanted: Filter): void {
  filter.value = wanted;
  entries.value = undefined;
  void loadLibrary();
}

export async function loadMore(): Promise<void> {
  if (next === null || isLoadingMore) return;
  isLoadingMore = true;
  const wanted = filter.value;
  try {
    const page = await request<Page>('GET', `${pagePath(wanted)}&before=${next}`);
    if (wanted !== filter.value) return;
    const known = new Set(entries.value?.map(({ id }) => id));
    entries.value = [...(entries.value ?? []), ...page.entries.filter(({ id }) => !known.has(id))];
    next = page.next;
  } catch {
    // The next scroll to the end asks again.
  } finally {
    isLoadingMore = false;
  }
}

export function changeEntry(id: string, change: Partial<Entry>): void {
  entries.value = entries.value?.map((one) => (one.id === id ? { ...one, ...change } : one));
}

export function forgetEntry(id: string): void {
  entries.value = entries.value?.filter((one) => one.id !== id);
}

/** Follows what runs until the signal aborts. A page that nobody sees asks nothing. */
export function followLibrary(signal: AbortSignal): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tick = async () => {
    clearTimeout(timer);
    if (document.hidden || signal.aborted) return;
    await readChanges(signal);
    if (signal.aborted) return;
    clearTimeout(timer);
    timer = setTimeout(tick, running().length > 0 ? busyEveryMs : idleEveryMs);
  };
  document.addEventListener('visibilitychange', tick, { signal });
  addEventListener('longhand:created', tick, { signal });
  signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
  timer = setTimeout(tick, busyEveryMs);
}

/** Something was created on this page: it appears at once. */
export function lookNow(): void {
  dispatchEvent(new Event('longhand:created'));
}

function running(): Entry[] {
  return entries.value?.filter(({ status }) => status === 'processing').slice(0, followedMax) ?? [];
}

async function readChanges(signal: AbortSignal): Promise<void> {
  const known = entries.value;
  if (!known) return loadLibrary();
  const followed = running().map(({ id }) => id);
  const after = known.reduce((most, { number }) => (BigInt(number) > BigInt(most) ? number : most), '0');
  try {
    const changes = await request<{ entries: Entry[] }>(
      'GET',
      `/web/library/changes?after=${after}&ids=${followed.join(',')}`,
      { signal },
    );
    isBroken.value = false;
    merge(changes.entries, new Set(followed));
  } catch {
    if (!signal.aborted) isBroken.value = true;
  }
}

function merge(changed: readonly Entry[], followed: ReadonlySet<string>): void {
  const known = entries.value ?? [];
  const byId = new Map(changed.map((one) => [one.id, one]));
  const kept = known.filter(({ id }) => !followed.has(id) || byId.has(id));
  const updated = kept.map((one) => byId.get(one.id) ?? one);
  const knownIds = new Set(known.map(({ id }) => id));
  const fresh = changed
    .filter(({ id }) => !knownIds.has(id))
    .toSorted((a, b) => Number(BigInt(b.number) - BigInt(a.number)));
  const hasEnded = known.some(
    ({ id, status }) => status === 'processing' && byId.get(id)?.status !== 'processing' && followed.has(id),
  );
  entries.value = [...fresh, ...updated];
  if (fresh.length > 0 || hasEnded) void refreshCounts();
}

async function refreshCounts(): Promise<void> {
  await loadSession();
  const page = await request<Page>('GET', '/web/library?limit=1').catch(() => undefined);
  if (page) counts.value = page.counts;
}

function pagePath(wanted: Filter): string {
  return `/web/library?limit=100${wanted === 'all' ? '' : `&state=${wanted}`}`;
}
