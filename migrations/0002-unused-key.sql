-- The first key is shown at every start until a key of its account is used. Until then it can be read back: sealed as
-- webhook secrets are, never in the clear.
alter table api_key add column sealed_key text;
alter table api_key add constraint api_key_sealed_only_while_unused
  check (sealed_key is null or (last_used_at is null and revoked_at is null));
