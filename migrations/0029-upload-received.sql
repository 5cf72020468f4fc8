-- How much of an upload has arrived on the service's own disk: the rest of what was prepared is room that nobody else
-- gets, until its URLs end.
alter table upload add column received_bytes bigint not null default 0 check (received_bytes between 0 and size_bytes);
update upload set received_bytes = size_bytes where status = 'completed';
create index upload_open on upload (storage, expires_at) where status = 'open';
