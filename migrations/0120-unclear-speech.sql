-- Where somebody speaks and no text was believable enough to be kept, in milliseconds; null for older jobs.
alter table transcription add column unclear jsonb;
