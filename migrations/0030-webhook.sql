-- Outgoing webhooks: who wants to hear (subscription), what happened (event), who still has to hear it (delivery,
-- which is also the queue and the log of its attempts).

create table webhook_subscription (
  id uuid primary key,
  account_id uuid not null references account (id) on delete cascade,
  -- Orders subscriptions that were created in the same millisecond.
  position bigint generated always as identity,
  url text not null check (length(url) between 1 and 2048),
  events text[] not null check (
    cardinality(events) between 1 and 2
    and events <@ array['transcription.completed', 'transcription.failed']
    and (cardinality(events) = 1 or events[1] <> events[2])
  ),
  status text not null check (status in ('active', 'disabled')),
  sealed_secret text not null,
  created_at timestamptz not null,
  disabled_at timestamptz,
  check ((status = 'disabled') = (disabled_at is not null))
);

create index webhook_subscription_account on webhook_subscription (account_id, position desc);

create table webhook_event (
  id uuid primary key,
  account_id uuid not null references account (id) on delete cascade,
  -- Null for a test event. Otherwise one event for each job, whatever happens to the finisher.
  transcription_id uuid unique,
  type text not null check (type in ('transcription.completed', 'transcription.failed')),
  -- The exact text that is sent, the same at every attempt.
  body text not null,
  created_at timestamptz not null
);

create index webhook_event_created on webhook_event (created_at);
create index webhook_event_account on webhook_event (account_id, created_at desc);

-- The subscription is not a foreign key: the log of a deleted subscription stays until its days are over.
create table webhook_delivery (
  id bigint generated always as identity primary key,
  event_id uuid not null references webhook_event (id) on delete cascade,
  subscription_id uuid not null,
  receiver text not null,
  state text not null check (state in ('pending', 'sending', 'delivered', 'exhausted', 'gone', 'cancelled')),
  -- A replay begins a new round of attempts.
  round smallint not null default 1 check (round >= 1),
  attempts smallint not null default 0 check (attempts >= 0),
  -- How often a process took this delivery and died before it knew the outcome.
  abandoned smallint not null default 0 check (abandoned >= 0),
  next_attempt_at timestamptz,
  lease_id uuid,
  lease_until timestamptz,
  created_at timestamptz not null,
  ended_at timestamptz,
  -- Each attempt with its time, status or error, duration and the time of the next. In the row, because the row is
  -- written at that moment anyway: a table of its own costs another insert for each attempt.
  attempt_log jsonb not null default '[]',
  unique (event_id, subscription_id),
  check ((state = 'pending') = (next_attempt_at is not null)),
  check ((state = 'sending') = (lease_id is not null)),
  check ((state = 'sending') = (lease_until is not null)),
  check ((state in ('pending', 'sending')) = (ended_at is null))
);

-- The head of each receiver's line; also finds the receivers that have a line at all.
create index webhook_delivery_line on webhook_delivery (subscription_id, next_attempt_at, id) where state = 'pending';
create index webhook_delivery_lease on webhook_delivery (lease_until) where state = 'sending';
