-- Search finds what readers are given: the published edition instead of the machine's text, and the name that the
-- owner gave the recording as well as the one it came with.
create or replace function refresh_passages() returns trigger language plpgsql as $$
begin
  delete from transcript_passage where transcription_id = new.id;
  insert into transcript_passage
  select * from passages_of(new.id, new.account_id, new.number, concat_ws(' ', new.display_name, new.filename),
    coalesce(new.published_segments, new.segments));
  return null;
end
$$;

drop trigger transcription_passages on transcription;
create trigger transcription_passages
  after insert or update of segments, filename, published_segments, display_name on transcription
  for each row when (new.segments is not null) execute function refresh_passages();

delete from transcript_passage as passage using transcription as t
where t.id = passage.transcription_id and (t.published_at is not null or t.display_name is not null);
insert into transcript_passage
select passage.* from transcription as t
cross join lateral passages_of(t.id, t.account_id, t.number, concat_ws(' ', t.display_name, t.filename),
  coalesce(t.published_segments, t.segments)) as passage
where t.segments is not null and (t.published_at is not null or t.display_name is not null);
