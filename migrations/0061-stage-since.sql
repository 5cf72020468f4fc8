-- Since when the job is in its stage: the time left is told from it.
alter table transcription add column stage_at timestamptz not null default now();
