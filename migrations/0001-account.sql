create table account (
  id uuid primary key default gen_random_uuid(),
  name text not null check (length(name) between 1 and 200),
  plan text not null,
  -- The account of the command line itself: no person's, never listed, has no keys.
  is_internal boolean not null default false,
  created_at timestamptz not null default now()
);

create unique index account_internal on account (is_internal) where is_internal;

create table api_key (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references account on delete cascade,
  name text not null,
  -- SHA-256 of the whole key; the key itself is shown once and stored nowhere.
  hash bytea not null unique check (length(hash) = 32),
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  expires_at timestamptz,
  revoked_at timestamptz
);
create index api_key_account on api_key (account_id);

-- How many transcriptions an account created on a UTC day, counted in the transaction that creates the job.
create table daily_usage (
  account_id uuid not null references account on delete cascade,
  day date not null,
  transcriptions integer not null check (transcriptions >= 0),
  primary key (account_id, day)
);
