-- A transcript as its owner edited it, beside the machine's, which stays as it was recognised.
create table edition (
  transcription_id uuid primary key references transcription on delete cascade,
  -- Counts writes. Each segment bears the number of the write that changed it last.
  revision bigint not null default 1 check (revision > 0),
  -- Names that people gave, by the id of the speaker.
  speakers jsonb not null default '{}',
  edited_at timestamptz not null default now()
);

create table edition_segment (
  transcription_id uuid not null references edition on delete cascade,
  -- Of the machine's segments `m` and their number; of new ones whatever the editor chose.
  id text not null check (id ~ '^[a-z0-9-]{1,40}$'),
  start_ms integer not null check (start_ms >= 0),
  end_ms integer not null check (end_ms >= start_ms),
  text text not null,
  speaker text,
  revision bigint not null,
  -- Kept, so that an edit of a line that somebody else deleted is told from a new line.
  is_deleted boolean not null default false,
  primary key (transcription_id, id)
);
create index edition_segment_revision on edition_segment (transcription_id, revision);

-- What the API gives instead of the machine's text, once the owner has published the edition.
alter table transcription
  add column published_at timestamptz,
  add column published_text text,
  add column published_segments jsonb,
  add constraint published_whole check (
    (published_at is null) = (published_text is null) and (published_at is null) = (published_segments is null)
  );
