-- The directory that holds the objects of the storage `local`, by the id in its file `storage-id`. A process that
-- sees another directory must not look for uploads there, or it would take every one of them for erased.
create table local_storage (
  is_only boolean primary key default true check (is_only),
  id uuid not null
);
