create table transcription (
  id uuid primary key,
  -- The order of creation: "newest first" never depends on the resolution of a clock.
  number bigint generated always as identity unique,
  account_id uuid not null references account on delete cascade,
  filename text not null check (length(filename) between 1 and 240),
  status text not null default 'processing' check (status in ('processing', 'completed', 'failed')),
  source jsonb not null,
  options jsonb not null,
  created_at timestamptz not null default now(),
  finished_at timestamptz,
  duration_seconds double precision,
  -- The decoded audio, kept while chunks are recognised: { storage, key }.
  audio jsonb,
  chunks_total integer,
  chunks_left integer check (chunks_left between 0 and chunks_total),
  -- Attempts of a step that failed through our own fault.
  faults integer not null default 0,
  -- The UTC day whose allowance paid for this job; null when it cost nothing.
  allowance_day date,
  text text,
  segments jsonb,
  error text,
  error_code text,
  check ((status = 'processing') = (finished_at is null)),
  check ((status = 'completed') = (text is not null)),
  check ((status = 'failed') = (error is not null))
);
create index transcription_newest on transcription (account_id, number desc);
create index transcription_processing on transcription (number) where status = 'processing';

create table chunk (
  transcription_id uuid not null references transcription on delete cascade,
  index integer not null check (index >= 0),
  status text not null default 'waiting' check (status in ('waiting', 'done')),
  plan jsonb not null,
  result jsonb,
  check ((status = 'done') = (result is not null)),
  primary key (transcription_id, index)
);

-- A client that lost an answer may send the same request again under the same key for 24 hours.
create table idempotency_key (
  account_id uuid not null references account on delete cascade,
  key text not null check (length(key) between 1 and 255),
  request_hash bytea not null,
  transcription_id uuid not null references transcription on delete cascade,
  created_at timestamptz not null default now(),
  primary key (account_id, key)
);
create index idempotency_key_age on idempotency_key (created_at);

-- Workers that can recognise speech, and when each was last heard from.
create table worker (
  id uuid primary key,
  heard_at timestamptz not null default now()
);
