-- The W3C trace context of the request that created the job, where traces are sent: every process that works on the
-- job adds its spans to that trace.
alter table transcription add column trace_parent text check (length(trace_parent) <= 64);
