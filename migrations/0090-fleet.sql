-- Requests of an account in the minute that began at started_at, of all API processes together. Unlogged: a crash of the
-- server forgets a minute of counting, and a count costs no write to the log.
create unlogged table request_rate (
  account_id uuid primary key references account on delete cascade,
  started_at timestamptz not null default now(),
  requests integer not null,
  creates integer not null
) with (fillfactor = 50);

-- The newest jobs of one account. While there was an index on the number alone, the planner read the jobs of all
-- accounts backwards and filtered, in the hope of meeting this one's soon: 60,000 rows for an account that is silent
-- lately. The operator's list of all accounts has an index that no list of one account can use.
create index transcription_latest on transcription ((-number));
alter table transcription drop constraint transcription_number_key;

-- Work that one process at a time does, held for some seconds at a time, so that a pooler may stand between.
alter table duty
  add column holder uuid,
  add column held_until timestamptz;

-- What a worker is and can do; null of a worker of an earlier release.
alter table worker
  add column version text,
  add column host text,
  add column engine text,
  add column models text[],
  add column capacity integer check (capacity > 0);

-- Whether a migration took away what the release before it uses.
alter table schema_migration add column if not exists is_contract boolean not null default false;

-- Every process that delivers learns at once of a delivery that waits, whoever wrote it.
create function announce_delivery() returns trigger language plpgsql as $$
begin
  perform pg_notify('webhook_delivery', '');
  return null;
end
$$;

create trigger webhook_delivery_announced
  after insert or update of state on webhook_delivery
  for each row when (new.state = 'pending') execute function announce_delivery();
