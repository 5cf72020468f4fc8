import { randomUUID } from 'node:crypto';
import type { Clock } from '../clock.ts';
import type { Queryable } from './database.ts';
import { startDuty } from './duty.ts';

/** Something that one process at a time does, over all machines. */
export interface ExclusiveDeps {
  db: Queryable;
  clock: Clock;
}

/** A process that dies leaves its work to another after this. */
const leaseSeconds = 15;
const renewEveryMs = 5_000;

/**
 * Runs `work` unless another process is at it: then undefined. A lease in a row, not a lock of a connection: behind a pooler
 * a connection belongs to nobody, and its lock stays when its process is gone.
 */
export async function runExclusively<Result>(
  { db, clock }: ExclusiveDeps,
  name: string,
  work: () => Promise<Result>,
): Promise<Result | undefined> {
  const holder = randomUUID();
  if (!(await take(db, name, holder))) return undefined;
  // A lease that cannot be renewed may run out before the work ends: such work is safe to be done twice at once.
  const renewal = startDuty(clock, renewEveryMs, () => renew(db, name, holder).catch(() => {}));
  try {
    return await work();
  } finally {
    await renewal.stop();
    await giveUp(db, name, holder).catch(() => {}); // It runs out by itself.
  }
}

async function giveUp(db: Queryable, name: string, holder: string): Promise<void> {
  await db.query('update duty set holder = null, held_until = null where name = $1 and holder = $2', [
    name,
    holder,
  ]);
}

async function take(db: Queryable, name: string, holder: string): Promise<boolean> {
  const rows = await db.query(
    `insert into duty (name, holder, held_until) values ($1, $2, now() + make_interval(secs => $3))
     on conflict (name) do update set holder = $2, held_until = excluded.held_until, done_at = now()
     where duty.holder is null or duty.held_until < now()
     returning name`,
    [name, holder, leaseSeconds],
  );
  return rows.length === 1;
}

/** Only what is still held: a renewal that arrives after the end must not take the lease again. */
async function renew(db: Queryable, name: string, holder: string): Promise<void> {
  await db.query(
    `update duty set held_until = now() + make_interval(secs => $3), done_at = now()
     where name = $1 and holder = $2`,
    [name, holder, leaseSeconds],
  );
}
