import type { Database, Queryable } from './database.ts';

/** Something that one process at a time does, over all machines; `lock` is its number, told apart from every other. */
export interface ExclusiveWork {
  name: string;
  lock: number;
}

/** Runs `work` unless another process is at it: then undefined. The lock ends with the session, also when the process dies. */
export async function runExclusively<Result>(
  db: Pick<Database, 'holdSession'>,
  { name, lock }: ExclusiveWork,
  work: () => Promise<Result>,
): Promise<Result | undefined> {
  const session = await db.holdSession(`longhand ${name}`);
  try {
    return (await tryLock(session, lock)) ? await work() : undefined;
  } finally {
    await session.close();
  }
}

async function tryLock(session: Queryable, lock: number): Promise<boolean> {
  const [row] = await session.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [lock]);
  return row?.locked === true;
}
