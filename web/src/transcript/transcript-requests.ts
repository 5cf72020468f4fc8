/** What the transcript page asks of the service. */
import { LonghandError } from 'longhand-client';
import { fetchAsPage, request } from '../request.ts';
import type { Pending } from './draft.ts';
import type { ServerLine } from './line.ts';

/** Text, from and to in milliseconds, speaker, and how sure the machine is, from 0 to 1. */
export type HeardWord = readonly [
  text: string,
  startMs: number,
  endMs: number,
  speaker?: number | string | null,
  confidence?: number,
];

export interface TranscriptFacts {
  id: string;
  filename: string;
  status: 'processing' | 'completed' | 'failed';
  created_at: string;
  duration_seconds: number | null;
  language: string | null;
  error: string | null;
  size_bytes: number | null;
  is_truncated: boolean;
  is_without_speakers: boolean;
  /** Speech whose words were too unsure to be written. */
  unclear: { start_ms: number; end_ms: number }[];
  published_at: string | null;
  edited_at: string | null;
  has_peaks: boolean;
  media: { type: string; is_video: boolean } | null;
  /** Of a shared link. */
  expires_at?: string;
}

interface WireLine {
  id: string;
  revision: number;
  start_ms: number;
  end_ms: number;
  text: string;
  speaker: string | null;
  deleted?: boolean;
}

interface WireEdition {
  revision: number;
  speakers: Record<string, string>;
  segments: WireLine[];
}

export interface Edition {
  revision: number;
  speakers: Record<string, string>;
  lines: ServerLine[];
}

export interface SharedLink {
  id: string;
  created_at: string;
  expires_at: string;
  path?: string;
}

export interface Refusal {
  refused: { id: string; line: ServerLine | null }[];
}

/** A passage that is recognised again. */
export interface Rerun {
  id: string;
  status: 'waiting' | 'done' | 'failed';
  line_ids: string[];
  language: string | null;
  /** From 0 to 1; null until a worker has begun. */
  progress: number | null;
  failure: string | null;
  revision: number | null;
}

export interface RerunRequest {
  lines: { id: string; base: number }[];
  language: string | null;
  engine: string | null;
}

export interface RerunChoices {
  is_kept: boolean;
  languages: string[];
  engines: { id: string; title: string; languages: string[] }[];
  seconds_max: number;
  lines_max: number;
}

/** Longer than any recording. */
const msMax = 360_000_000;

/** One transcript: the owner's, or a shared one that can only be read. */
export class TranscriptRequests {
  readonly #base: string;

  constructor(base: string) {
    this.#base = base;
  }

  static ofOwner(id: string): TranscriptRequests {
    return new TranscriptRequests(`/web/transcriptions/${encodeURIComponent(id)}`);
  }

  static ofShare(token: string): TranscriptRequests {
    return new TranscriptRequests(`/web/shared/${encodeURIComponent(token)}`);
  }

  async read(): Promise<{ facts: TranscriptFacts; edition: Edition | null }> {
    const read = await request<TranscriptFacts & { edition: WireEdition | null }>(
      'GET',
      `${this.#base}/transcript`,
    );
    const { edition, ...facts } = read;
    return { facts, edition: edition && editionOf(edition) };
  }

  words(fromMs: number, toMs: number): Promise<HeardWord[]> {
    return request('GET', `${this.#base}/words?from_ms=${fromMs}&to_ms=${toMs}`);
  }

  /** Of the whole recording, those that the machine is less sure of. */
  wordsBelow(percent: number): Promise<HeardWord[]> {
    return request('GET', `${this.#base}/words?from_ms=0&to_ms=${msMax}&percent_below=${percent}`);
  }

  get mediaUrl(): string {
    return `${this.#base}/media`;
  }

  get peaksUrl(): string {
    return `${this.#base}/peaks`;
  }

  exportUrl(options: Record<string, string>): string {
    return `${this.#base}/export?${new URLSearchParams(options)}`;
  }

  async since(revision: number): Promise<Edition> {
    return editionOf(await request<WireEdition>('GET', `${this.#base}/edition?since=${revision}`));
  }

  async change(pending: readonly Pending[], signal: AbortSignal): Promise<Edition | Refusal> {
    const response = await fetchAsPage(`${this.#base}/edition/changes`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ changes: pending.map(changeOnWire) }),
      signal,
    });
    const answer = (await response.json()) as {
      data: WireEdition;
      error: { code: string; message: string };
      current?: { id: string; segment: WireLine | null }[];
    };
    if (response.status === 409 && answer.current)
      return { refused: answer.current.map(({ id, segment }) => ({ id, line: segment && lineOf(segment) })) };
    if (!response.ok)
      throw new LonghandError(answer.error.message, { code: answer.error.code, status: response.status });
    return editionOf(answer.data);
  }

  async edit(
    operation: 'replace' | 'shift' | 'name' | 'merge',
    body: Record<string, unknown>,
  ): Promise<Edition> {
    return editionOf(await request<WireEdition>('POST', `${this.#base}/edition/${operation}`, { body }));
  }

  async importFile(format: string, content: string): Promise<void> {
    await request('POST', `${this.#base}/edition/import`, { body: { format, content } });
  }

  async publish(isPublished: boolean): Promise<void> {
    await request(isPublished ? 'PUT' : 'DELETE', `${this.#base}/edition/published`);
  }

  reruns(): Promise<Rerun[]> {
    return request('GET', `${this.#base}/reruns`);
  }

  rerunChoices(): Promise<RerunChoices> {
    return request('GET', `${this.#base}/reruns/choices`);
  }

  rerun(wanted: RerunRequest): Promise<Rerun> {
    return request('POST', `${this.#base}/reruns`, { body: wanted });
  }

  async dismissRerun(id: string): Promise<void> {
    await request('DELETE', `${this.#base}/reruns/${id}`);
  }

  shares(): Promise<SharedLink[]> {
    return request('GET', `${this.#base}/shares`);
  }

  share(days: number): Promise<SharedLink> {
    return request('POST', `${this.#base}/shares`, { body: { days } });
  }

  async revoke(id: string): Promise<void> {
    await request('DELETE', `${this.#base}/shares/${id}`);
  }
}

function editionOf({ revision, speakers, segments }: WireEdition): Edition {
  return { revision, speakers, lines: segments.map(lineOf) };
}

function lineOf({ id, revision, start_ms, end_ms, text, speaker, deleted }: WireLine): ServerLine {
  return { id, revision, startMs: start_ms, endMs: end_ms, text, speaker, isDeleted: deleted ?? false };
}

function changeOnWire({ id, base, mine }: Pending) {
  const named = { id, base: base?.revision ?? null };
  if (!mine) return { ...named, deleted: true };
  const { startMs, endMs, text, speaker } = mine;
  return { ...named, deleted: false, start_ms: startMs, end_ms: endMs, text, speaker };
}
