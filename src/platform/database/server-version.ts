import { onlyRow, type Queryable } from './database.ts';

export interface ServerVersion {
  /** 150004 for 15.4. */
  number: number;
  text: string;
}

export async function serverVersion(db: Queryable): Promise<ServerVersion> {
  const rows = await db.query<{ number: number; text: string }>(
    `select current_setting('server_version_num')::int as number, current_setting('server_version') as text`,
  );
  return onlyRow(rows);
}
