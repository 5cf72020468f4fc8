-- An account's bytes are erased before its rows go, or nobody would find them any more; a deleted job needs no media.
alter table upload
  drop constraint upload_account_id_fkey,
  add constraint upload_account_id_fkey foreign key (account_id) references account;
alter table upload_use
  add constraint upload_use_transcription_id_fkey foreign key (transcription_id)
    references transcription on delete cascade;
