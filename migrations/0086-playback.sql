-- What a browser needs to show and play the sound of a recording.
create table playback (
  transcription_id uuid primary key references transcription on delete cascade,
  -- The waveform, kept as long as the job: { storage, key }. Null where it could not be made.
  peaks jsonb,
  -- The upload itself where browsers play it, else a copy: { storage, key, contentType, isVideo }. It goes with the media.
  media jsonb
);
