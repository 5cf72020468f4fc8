-- One row for each prepared upload, written before the store is asked for anything: every byte that a client can
-- send belongs to a row, so the sweep finds it.
create table upload (
  id uuid primary key,
  account_id uuid not null references account on delete cascade,
  storage text not null check (storage in ('local', 's3')),
  object_key text not null,
  filename text not null,
  content_type text not null,
  size_bytes bigint not null check (size_bytes > 0),
  -- Both set for a multipart upload, both null for a single PUT.
  part_size_bytes integer check (part_size_bytes > 0),
  multipart_id text,
  -- open: bytes may arrive; completed: usable by jobs; discarded: given up or swept, never usable again.
  status text not null default 'open' check (status in ('open', 'completed', 'discarded')),
  created_at timestamptz not null,
  -- When the signed URLs end.
  expires_at timestamptz not null check (expires_at > created_at),
  completed_at timestamptz,
  -- SHA-256 of the part list that completed it: a repeat with the same parts gets the same answer.
  parts_hash bytea check (length(parts_hash) = 32),
  last_used_at timestamptz,
  discarded_at timestamptz,
  -- When the store confirmed that no byte is left.
  erased_at timestamptz,
  unique (storage, object_key),
  check (multipart_id is null or part_size_bytes is not null),
  check ((status = 'completed') <= (completed_at is not null)),
  check ((status = 'discarded') = (discarded_at is not null)),
  check (erased_at is null or status = 'discarded')
);
create index upload_account on upload (account_id);
create index upload_not_erased on upload (created_at) where erased_at is null;

-- Which jobs read which upload: one upload may serve several.
create table upload_use (
  upload_id uuid not null references upload on delete cascade,
  transcription_id uuid not null,
  primary key (upload_id, transcription_id)
);
create index upload_use_transcription on upload_use (transcription_id);
