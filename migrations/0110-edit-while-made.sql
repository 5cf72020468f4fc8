-- An edition that was begun while its transcript was still being made: its last lines are taken over once it is complete.
alter table edition add column is_partial boolean not null default false;
