-- How often speakers were told apart, and why not: counted in the transaction that completes the job.
create table speaker_outcome (
  outcome text primary key
    check (outcome in ('found', 'no-model', 'mixed-models', 'too-little-speech', 'time-limit', 'error')),
  jobs bigint not null check (jobs > 0)
);
