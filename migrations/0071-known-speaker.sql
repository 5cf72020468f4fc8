-- Voices that the caller of a job knows by name: as recordings until they are embedded, then as embeddings until the
-- job has ended.
create table known_speaker (
  transcription_id uuid not null references transcription on delete cascade,
  position smallint not null check (position >= 0),
  name text not null check (length(name) between 1 and 100),
  recording bytea,
  voice text,
  model text,
  primary key (transcription_id, position),
  check ((recording is null) = (voice is not null)),
  check ((voice is null) = (model is null))
);
