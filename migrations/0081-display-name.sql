-- What the owner calls a recording in the web product; null where nobody renamed it. The API keeps the filename.
alter table transcription
  add column display_name text check (length(display_name) between 1 and 240);
