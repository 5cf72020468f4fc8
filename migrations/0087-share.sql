-- Links by which anybody who has one may read a transcript, and nothing else. The token is stored nowhere.
create table share (
  id uuid primary key default gen_random_uuid(),
  transcription_id uuid not null references transcription on delete cascade,
  token_hash bytea not null unique check (length(token_hash) = 32),
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index share_transcription on share (transcription_id);
