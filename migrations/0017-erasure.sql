-- An account that is being erased: unknown to everybody from that moment on. Its row goes last.
alter table account add column deleted_at timestamptz;
create index account_deleted on account (deleted_at) where deleted_at is not null;

-- Stored bytes whose rows are gone, written in the transaction that deletes those rows: a crash forgets neither.
create table erasure (
  storage text not null check (storage in ('local', 's3')),
  -- The key of an object, or a prefix that ends with a slash: everything below it.
  target text not null,
  -- Until then a signed URL may still bring bytes: they are erased at once, and once more when it has passed.
  until timestamptz not null,
  erased_at timestamptz,
  primary key (storage, target)
);
