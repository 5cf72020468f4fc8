-- A person's sessions in the web product. The token is in the browser's cookie and stored nowhere.
create table web_session (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references account on delete cascade,
  token_hash bytea not null unique check (length(token_hash) = 32),
  -- The key that was exchanged for it: the session ends with it. Null for a sign-in link or another identity.
  api_key_id uuid references api_key on delete cascade,
  user_agent text not null check (length(user_agent) <= 200),
  created_at timestamptz not null,
  last_seen_at timestamptz not null,
  expires_at timestamptz not null
);
create index web_session_account on web_session (account_id);

-- One-time sign-in links. Redeeming one deletes its row.
create table sign_in_token (
  token_hash bytea primary key check (length(token_hash) = 32),
  account_id uuid not null references account on delete cascade,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index sign_in_token_account on sign_in_token (account_id);

-- Sees the operator's page: jobs, workers and accounts of the whole service.
alter table account add column is_operator boolean not null default false;
update account set is_operator = true
where id = (
  select id from account where not is_internal and deleted_at is null order by created_at, id limit 1
);
