/** Whole tables of one database, out and into another. The queue's are left out: tasks follow from the jobs. */
import type { Queryable } from '../platform/database/database.ts';

export interface CopiedTable {
  name: string;
  /** Without those that the database computes. */
  columns: string[];
}

/** What belongs to a moment, to a machine, or is written by whoever brings the schema. */
const leftOut = ['schema_migration', 'request_rate', 'worker', 'duty', 'local_storage'];

/** A transcript of ten hours is a few megabytes: memory stays bounded by the second. */
const batchRows = 500;
const batchCharactersMax = 16 * 1024 * 1024;

/** Every table after those that it refers to. */
export async function copiedTables(db: Queryable): Promise<CopiedTable[]> {
  const tables = await db.query<CopiedTable & { parents: string[] }>(
    `select class.relname as name,
       (select array_agg(attname::text order by attnum) from pg_attribute
        where attrelid = class.oid and attnum > 0 and not attisdropped and attgenerated = '') as columns,
       array(select parent.relname::text from pg_constraint
             join pg_class parent on parent.oid = confrelid
             where conrelid = class.oid and contype = 'f' and confrelid <> class.oid) as parents
     from pg_class class
     where relnamespace = 'public'::regnamespace and relkind = 'r' and not relname = any($1)
     order by relname`,
    [leftOut],
  );
  const sorted: CopiedTable[] = [];
  let waiting = tables;
  while (waiting.length > 0) {
    const isPlaced = (name: string) => !waiting.some((one) => one.name === name);
    const next = waiting.filter(({ parents }) => parents.every(isPlaced));
    if (next.length === 0) throw new Error('the tables refer to each other in a circle');
    sorted.push(...next.map(({ name, columns }) => ({ name, columns })));
    waiting = waiting.filter((table) => !next.includes(table));
  }
  return sorted;
}

/** Every row as a line of JSON, of which the database itself makes the values. */
export async function* tableOut(
  connection: Queryable,
  { name, columns }: CopiedTable,
): AsyncGenerator<string> {
  await connection.query(
    `declare copied no scroll cursor for
     select to_json(one)::text as line from (select ${list(columns)} from ${quoted(name)}) one`,
  );
  for (;;) {
    const rows = await connection.query<{ line: string }>(`fetch ${batchRows} from copied`);
    if (rows.length === 0) break;
    for (const { line } of rows) yield `${line}\n`;
  }
  await connection.query('close copied');
}

/** Nothing is announced of rows that are not new. */
export async function tableIn(
  connection: Queryable,
  { name, columns }: CopiedTable,
  lines: AsyncIterable<string>,
): Promise<void> {
  const insert = `insert into ${quoted(name)} (${list(columns)}) overriding system value
    select ${list(columns)} from json_populate_recordset(null::${quoted(name)}, $1::json)`;
  let batch: string[] = [];
  let characters = 0;
  const write = async () => {
    if (batch.length > 0) await connection.query(insert, [`[${batch.join(',')}]`]);
    batch = [];
    characters = 0;
  };
  await connection.query(`alter table ${quoted(name)} disable trigger user`);
  for await (const line of lines) {
    batch.push(line);
    characters += line.length;
    if (batch.length >= batchRows || characters > batchCharactersMax) await write();
  }
  await write();
  await connection.query(`alter table ${quoted(name)} enable trigger user`);
}

/** The next number of every counted column follows the highest that came. */
export async function setSequences(db: Queryable): Promise<void> {
  const counted = await db.query<{ table: string; column: string }>(
    `select class.relname as table, attname as column
     from pg_attribute join pg_class class on class.oid = attrelid
     where relnamespace = 'public'::regnamespace and relkind = 'r' and attidentity <> '' and not attisdropped`,
  );
  for (const { table, column } of counted) {
    await db.query(
      `select setval(pg_get_serial_sequence($1, $2), coalesce(max(${quoted(column)}), 0) + 1, false)
       from ${quoted(table)}`,
      [quoted(table), column],
    );
  }
}

function list(columns: readonly string[]): string {
  return columns.map(quoted).join(', ');
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
