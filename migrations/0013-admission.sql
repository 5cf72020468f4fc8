-- An account's jobs run a few at a time, as its plan allows; the others wait here and have no task yet.
alter table transcription
  add column admitted_at timestamptz,
  -- When a step of the job last succeeded. A job that stands still for a day is given up.
  add column progressed_at timestamptz not null default now();
update transcription set admitted_at = created_at;
create index transcription_waiting on transcription (account_id, number)
  where status = 'processing' and admitted_at is null;
create index transcription_running on transcription (account_id)
  where status = 'processing' and admitted_at is not null;

-- The lane in which the tasks of an account wait: lanes take turns.
alter table account add column number bigint generated always as identity unique;

-- When a duty that one process at a time does was last done.
create table duty (
  name text primary key,
  done_at timestamptz not null default now()
);
