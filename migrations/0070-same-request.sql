-- The same media with the same options, sent again while its job runs or just after it completed, joins that job: a
-- SHA-256 over both. Only jobs whose media came through the service itself have one.
alter table transcription add column request_fingerprint bytea check (length(request_fingerprint) = 32);
create unique index transcription_same_running on transcription (account_id, request_fingerprint)
  where status = 'processing';
create index transcription_same_request on transcription (account_id, request_fingerprint)
  where request_fingerprint is not null;
