-- People whom a company's own identity provider (OpenID Connect) knows, and the account that each has here.
create table identity (
  issuer text not null,
  subject text not null,
  account_id uuid not null references account on delete cascade,
  created_at timestamptz not null default now(),
  primary key (issuer, subject)
);
create index identity_account on identity (account_id);
