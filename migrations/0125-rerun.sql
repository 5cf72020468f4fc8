-- A passage of a finished transcript that its owner wants recognised again, in another language or by another model.
create table rerun (
  id uuid primary key,
  transcription_id uuid not null references transcription on delete cascade,
  account_id uuid not null references account on delete cascade,
  status text not null default 'waiting' check (status in ('waiting', 'done', 'failed')),
  -- The lines that it replaces, in order, each as its owner saw it: [{ id, revision, startMs, endMs }].
  lines jsonb not null,
  -- The stretch of the recording that is listened to.
  start_ms integer not null check (start_ms >= 0),
  end_ms integer not null check (end_ms > start_ms),
  -- Null: to be found out.
  language text,
  -- Null: what the worker uses for new jobs.
  engine text,
  -- Null until a worker has begun.
  progress real,
  faults integer not null default 0,
  failure text,
  -- The write of the edition that brought the new lines.
  revision bigint,
  -- As they were heard this time, like those of the job.
  words jsonb,
  created_at timestamptz not null default now(),
  ended_at timestamptz,
  check ((status = 'failed') = (failure is not null)),
  check ((status = 'done') = (revision is not null)),
  check ((status = 'waiting') = (ended_at is null))
);
create index rerun_transcription on rerun (transcription_id, start_ms);
create index rerun_account on rerun (account_id, created_at);
