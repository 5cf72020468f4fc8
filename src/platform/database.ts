import pg from 'pg';
import { systemClock } from './clock.ts';
import { DatabaseUnavailable, databaseFault } from './database-fault.ts';
import type { Logger } from './telemetry.ts';

/** What a store needs: the pool, or one transaction of it. */
export interface Queryable {
  query<Row extends object = Record<string, unknown>>(
    text: string,
    values?: readonly unknown[],
  ): Promise<Row[]>;
}

/** For the few statements that run hundreds of times a second: planned once for each connection. */
export interface PreparedQueryable {
  prepared<Row extends object = Record<string, unknown>>(
    name: string,
    text: string,
    values: readonly unknown[],
  ): Promise<Row[]>;
}

export interface DatabaseOptions {
  connectionString: string;
  connectionsMax: number;
  applicationName: string;
  logger: Logger;
  /** How long a statement may take until its answer is here. The server's own limit does not help when it is stopped. */
  queryTimeoutMs?: number;
}

/** For a new connection, or a free one of the pool. */
const connectTimeoutMs = 4_000;
const statementTimeoutMs = 30_000;
/** Longer than the server's, which gives the better error. */
const defaultQueryTimeoutMs = statementTimeoutMs + 5_000;
const idleTransactionTimeoutMs = 60_000;
const closeTimeoutMs = 3_000;
/** invalid_sql_statement_name, duplicate_prepared_statement */
const lostPreparedCodes: ReadonlySet<string> = new Set(['26000', '42P05']);

/**
 * A bounded pool of PostgreSQL connections. The only place that speaks to the driver. Every call ends within its limits;
 * a database that is away is told by DatabaseUnavailable.
 */
export class Database implements Queryable, PreparedQueryable {
  readonly #options: DatabaseOptions;
  readonly #pool: pg.Pool;
  readonly #queryTimeoutMs: number;
  #canPrepare = true;

  constructor(options: DatabaseOptions, pool: pg.Pool = newPool(options)) {
    this.#options = options;
    this.#pool = pool;
    this.#queryTimeoutMs = options.queryTimeoutMs ?? defaultQueryTimeoutMs;
  }

  get connectionString(): string {
    return this.#options.connectionString;
  }

  /** The same connections for somebody who cannot wait as long. Closed with the one it is made of. */
  limitedTo(queryTimeoutMs: number): Database {
    return new Database({ ...this.#options, queryTimeoutMs }, this.#pool);
  }

  async query<Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    return await this.#run<Row>({ text, values: [...values] });
  }

  async prepared<Row extends object>(name: string, text: string, values: readonly unknown[]): Promise<Row[]> {
    if (!this.#canPrepare) return await this.query<Row>(text, values);
    try {
      return await this.#run<Row>({ name, text, values: [...values] });
    } catch (error) {
      if (!lostPreparedCodes.has((error as pg.DatabaseError).code ?? '')) throw error;
      // A pooler between us and the server that does not know prepared statements: we do without them.
      this.#canPrepare = false;
      return await this.query<Row>(text, values);
    }
  }

  /** Runs `work` in one transaction: committed when it resolves, rolled back when it throws. */
  async transaction<Result>(work: (tx: Queryable) => Promise<Result>): Promise<Result> {
    const client = await this.#pool.connect().catch(throwFault);
    const tx = queryableOf(client, this.#queryTimeoutMs);
    let broken: Error | undefined;
    try {
      await tx.query('begin');
      const result = await work(tx);
      await tx.query('commit');
      return result;
    } catch (error) {
      // Without its connection a transaction is rolled back; to ask for it would only wait once more.
      if (error instanceof DatabaseUnavailable) broken = error;
      else await tx.query('rollback').catch((rollbackError: Error) => (broken = rollbackError));
      throw error;
    } finally {
      client.release(broken);
    }
  }

  async #run<Row extends object>(query: pg.QueryConfig): Promise<Row[]> {
    const limited = { ...query, query_timeout: this.#queryTimeoutMs };
    return rowsOf(await this.#pool.query<Row>(limited).catch(throwFault));
  }

  /** A connection outside the pool, for what lives as long as a session does: advisory locks, LISTEN. */
  holdSession(applicationName: string): Promise<DatabaseSession> {
    return openSession({ connectionString: this.connectionString, applicationName });
  }

  /** Connections of a server that does not answer are left behind. */
  async close(): Promise<void> {
    const late = new AbortController();
    const waited = systemClock.sleep(closeTimeoutMs, late.signal).catch(() => {});
    await Promise.race([this.#pool.end(), waited]);
    late.abort();
  }
}

function newPool({ connectionString, connectionsMax, applicationName, logger }: DatabaseOptions): pg.Pool {
  const pool = new pg.Pool({
    connectionString,
    max: connectionsMax,
    application_name: applicationName,
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: idleTransactionTimeoutMs,
  });
  // Without a listener the death of an idle connection would end the process. The error carries its whole
  // connection, secrets included, so only its words are logged.
  pool.on('error', ({ message }) => {
    if (!pool.ending) logger.warn({ reason: message }, 'an idle database connection was lost');
  });
  return pool;
}

/** One connection held on purpose. */
export interface DatabaseSession extends Queryable {
  /** Resolves, with the reason, when the connection ends without our having closed it. */
  readonly lost: Promise<Error>;
  /** Calls `hear` with the payload of each notification of the channel, from now on. */
  listen(channel: string, hear: (payload: string) => void): Promise<void>;
  close(): Promise<void>;
}

export async function openSession(options: {
  connectionString: string;
  applicationName: string;
}): Promise<DatabaseSession> {
  const client = new pg.Client({
    connectionString: options.connectionString,
    application_name: options.applicationName,
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: statementTimeoutMs,
  });
  const { promise: lost, resolve: lose } = Promise.withResolvers<Error>();
  client.on('error', lose); // Without a listener the death of the connection would end the process.
  await client.connect();
  let closing = false;
  client.on('end', () => {
    if (!closing) lose(new Error('the database connection ended'));
  });
  return {
    ...queryableOf(client, defaultQueryTimeoutMs),
    lost,
    async listen(channel, hear) {
      client.on('notification', (message) => {
        if (message.channel === channel) hear(message.payload ?? '');
      });
      await client.query(`listen ${pg.escapeIdentifier(channel)}`);
    },
    async close() {
      closing = true;
      await client.end();
    },
  };
}

function queryableOf(client: pg.ClientBase, queryTimeoutMs: number): Queryable {
  return {
    async query<Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
      const query = { text, values: [...values], query_timeout: queryTimeoutMs };
      return rowsOf(await client.query<Row>(query).catch(throwFault));
    },
  };
}

/** A text of several statements has several results. */
function rowsOf<Row extends object>(result: pg.QueryResult<Row> | pg.QueryResult<Row>[]): Row[] {
  return [result].flat().flatMap(({ rows }) => rows);
}

function throwFault(error: unknown): never {
  throw databaseFault(error);
}

/** The one row a statement must give. */
export function onlyRow<Row>(rows: readonly Row[]): Row {
  const [row] = rows;
  if (row === undefined || rows.length !== 1) throw new Error(`expected one row, got ${rows.length}`);
  return row;
}
