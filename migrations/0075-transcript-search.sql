-- Full-text search over transcripts. A transcript is searched in passages of eight segments, about a minute: words of a
-- query are found together when they were said together, a hit knows its time, and no transcript is too long (PostgreSQL
-- numbers at most 16,383 words of one text and keeps at most 256 places of a word). The words are kept without stemming:
-- one account has transcripts in many languages.

-- What is compared, of a text as of a query: small letters without accents, everything else a space. Characters of
-- scripts without spaces are words of their own, and a run of them in a query is a phrase.
create function search_words(said text) returns text language sql immutable strict parallel safe as $$
  select regexp_replace(
    regexp_replace(
      normalize(regexp_replace(normalize(lower(said), NFKD), '[\u0300-\u036f]', '', 'g'), NFKC),
      '([\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff])', ' \1 ', 'g'),
    '[^[:alnum:]\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]+', ' ', 'g')
$$;

create table transcript_passage (
  transcription_id uuid not null references transcription on delete cascade,
  -- -1 for the name of the recording, which is found like what was said in it.
  index integer not null check (index >= -1),
  account_id uuid not null,
  -- Of the transcription: newest first.
  number bigint not null,
  segments jsonb not null,
  words tsvector not null,
  primary key (transcription_id, index)
);
create index transcript_passage_words on transcript_passage using gin (words);
create index transcript_passage_newest on transcript_passage (account_id, number desc, index);

create function passages_of(id uuid, account_id uuid, number bigint, filename text, segments jsonb)
returns setof transcript_passage language sql stable as $$
  select id, -1, account_id, number, '[]'::jsonb, to_tsvector('simple', search_words(filename))
  union all
  select id, ((place - 1) / 8)::integer, account_id, number, jsonb_agg(segment order by place),
    to_tsvector('simple', search_words(string_agg(segment ->> 'text', ' ' order by place)))
  from jsonb_array_elements(segments) with ordinality as one (segment, place)
  group by (place - 1) / 8
$$;

-- By a trigger: whoever changes a transcript or its name, its passages follow in the same transaction.
create function refresh_passages() returns trigger language plpgsql as $$
begin
  delete from transcript_passage where transcription_id = new.id;
  insert into transcript_passage
  select * from passages_of(new.id, new.account_id, new.number, new.filename, new.segments);
  return null;
end
$$;

create trigger transcription_passages
  after insert or update of segments, filename on transcription
  for each row when (new.segments is not null) execute function refresh_passages();

insert into transcript_passage
select passage.* from transcription as t
cross join lateral passages_of(t.id, t.account_id, t.number, t.filename, t.segments) as passage
where t.segments is not null;
