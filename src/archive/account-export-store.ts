/** What belongs to an account, as its owner may have it: without hashes, sealed secrets, leases and places in a store. */
import type { Queryable } from '../platform/database/database.ts';

const edition = `(select jsonb_build_object('edited_at', edited_at, 'speakers', speakers, 'segments', coalesce(
    (select jsonb_agg(jsonb_build_object('start_ms', start_ms, 'end_ms', end_ms, 'speaker', speaker, 'text', line.text)
       order by start_ms, line.id)
     from edition_segment line where line.transcription_id = job.id and not is_deleted), '[]'))
  from edition where transcription_id = job.id)`;

/** Each gives the rows of one kind, of the account $1. */
const kinds: Readonly<Record<string, string>> = {
  account: 'select id, name, plan, created_at from account where id = $1',
  identity: 'select issuer, subject from identity where account_id = $1',
  key: `select id, name, created_at, last_used_at, expires_at, revoked_at from api_key
    where account_id = $1 order by created_at, id`,
  usage: 'select day, transcriptions from daily_usage where account_id = $1 order by day',
  upload: `select id, filename, content_type, size_bytes, status, created_at, completed_at, erased_at
    from upload where account_id = $1 order by created_at, id`,
  subscription: `select id, url, events, status, created_at, disabled_at from webhook_subscription
    where account_id = $1 order by position`,
  transcription: `select id, filename, status, source ->> 'url' as source_url, options, created_at, finished_at,
      duration_seconds, text, segments, words, unclear, notes, error, error_code, published_at, published_text,
      published_segments, ${edition} as edition,
      (select coalesce(jsonb_agg(jsonb_build_object('created_at', share.created_at, 'expires_at', expires_at)), '[]')
       from share where share.transcription_id = job.id) as shares
    from transcription job where account_id = $1 order by number`,
  rerun: `select id, transcription_id, status, language, engine, start_ms, end_ms, words, failure, created_at, ended_at
    from rerun where account_id = $1 order by created_at, id`,
  event: `select id, type, transcription_id, created_at, body::jsonb,
      (select coalesce(jsonb_agg(jsonb_build_object('subscription_id', subscription_id, 'state', state, 'attempts',
         attempt_log) order by delivery.id), '[]')
       from webhook_delivery delivery where delivery.event_id = event.id) as deliveries
    from webhook_event event where account_id = $1 order by created_at, id`,
};

/** Of a transcript of ten hours a few megabytes each. */
const batchRows = 50;

export const accountExportStore = {
  /** Every row with its kind, as JSON of the database's own making; the connection is in a transaction. */
  async *rows(connection: Queryable, accountId: string): AsyncGenerator<{ kind: string; line: string }> {
    for (const [kind, rows] of Object.entries(kinds)) {
      await connection.query(
        `declare exported no scroll cursor for
         select (jsonb_build_object('kind', $2::text) || to_jsonb(one))::text as line from (${rows}) one`,
        [accountId, kind],
      );
      for (;;) {
        const batch = await connection.query<{ line: string }>(`fetch ${batchRows} from exported`);
        if (batch.length === 0) break;
        for (const { line } of batch) yield { kind, line: `${line}\n` };
      }
      await connection.query('close exported');
    }
  },
};
