-- What the job is doing, how far it is in that, and everything a reader of its progress needs to be told at once.
alter table transcription
  add column stage text not null default 'queued'
    check (stage in ('queued', 'fetching', 'decoding', 'recognising', 'finishing')),
  -- The part of the stage that is done; recognising is counted by its chunks instead.
  add column stage_fraction real not null default 0 check (stage_fraction between 0 and 1),
  -- Every word of the transcript with its times, kept when the chunk rows go.
  add column words jsonb,
  -- What the owner should know about a completed job, by code, such as a recording that was cut off.
  add column notes text[] not null default '{}';

update transcription set stage = 'recognising' where chunks_total is not null;

-- Any API process can follow any job: each change is announced with the id of the job.
create function announce_transcription() returns trigger language plpgsql as $$
begin
  perform pg_notify('transcription', coalesce(new.id, old.id)::text);
  return null;
end
$$;

create trigger transcription_announced
  after insert or delete or update of status, stage, stage_fraction, chunks_left on transcription
  for each row execute function announce_transcription();
