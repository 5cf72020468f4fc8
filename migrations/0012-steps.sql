-- What a link brought, kept in the store until it is decoded: { storage, key, sizeBytes }.
alter table transcription add column media jsonb;

-- A step of a job that went wrong: how often, and why the last time. A step that never did has no row.
create table step_fault (
  transcription_id uuid not null references transcription on delete cascade,
  step text not null check (step in ('fetch', 'decode', 'recognise', 'finish')),
  -- Which chunk, for the step recognise; -1 for the steps of the whole job.
  chunk_index integer not null check (chunk_index >= -1),
  -- Tries that count: after a few of them the job is given up.
  faults integer not null default 0,
  -- Tries that something was away for: waited out.
  outages integer not null default 0,
  reason text not null,
  last_at timestamptz not null default now(),
  primary key (transcription_id, step, chunk_index)
);
