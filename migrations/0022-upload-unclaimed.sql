-- What an account has prepared and no job uses yet: counted at every prepare.
create index upload_unclaimed on upload (account_id) where status in ('open', 'completed') and last_used_at is null;
-- Single uploads whose URL has ended: the sweep looks whether they arrived.
create index upload_open_single on upload (expires_at) where status = 'open' and part_size_bytes is null;
