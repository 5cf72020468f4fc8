/** Everything that still names an id: rows of all tables, whatever they are, and files by name and content. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

interface Rows {
  query(text: string, values?: readonly unknown[]): Promise<object[]>;
}

/** The tables with rows in which one of the ids stands, in any column. */
export async function tablesNaming(db: Rows, ids: readonly string[]): Promise<string[]> {
  const tables = (await db.query(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
     where schemaname not in ('pg_catalog', 'information_schema') order by 1`,
  )) as { name: string }[];
  const found: string[] = [];
  for (const { name } of tables) {
    const rows = await db.query(`select 1 from ${name} as t where t::text ~* $1 limit 1`, [ids.join('|')]);
    if (rows.length > 0) found.push(name);
  }
  return found;
}

/** Files and directories below that bear one of the ids in their name or in their bytes. */
export async function filesNaming(directory: string, ids: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(directory, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    const isNamed = ids.some((id) => path.includes(id));
    if (isNamed || (entry.isFile() && (await holds(path, ids)))) found.push(path);
  }
  return found;
}

async function holds(path: string, ids: readonly string[]): Promise<boolean> {
  const bytes = await readFile(path);
  return ids.some((id) => bytes.includes(id));
}
