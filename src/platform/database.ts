import pg from 'pg';
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
}

const connectTimeoutMs = 5_000;
const statementTimeoutMs = 30_000;
const idleTransactionTimeoutMs = 60_000;
/** invalid_sql_statement_name, duplicate_prepared_statement */
const lostPreparedCodes: ReadonlySet<string> = new Set(['26000', '42P05']);

/** A bounded pool of PostgreSQL connections. The only place that speaks to the driver. */
export class Database implements Queryable, PreparedQueryable {
  readonly #pool: pg.Pool;
  #canPrepare = true;
  readonly connectionString: string;

  constructor({ connectionString, connectionsMax, applicationName, logger }: DatabaseOptions) {
    this.connectionString = connectionString;
    this.#pool = new pg.Pool({
      connectionString,
      max: connectionsMax,
      application_name: applicationName,
      connectionTimeoutMillis: connectTimeoutMs,
      statement_timeout: statementTimeoutMs,
      idle_in_transaction_session_timeout: idleTransactionTimeoutMs,
    });
    // Without a listener the death of an idle connection would end the process. The error carries its whole
    // connection, secrets included, so only its words are logged.
    this.#pool.on('error', ({ message }) => {
      if (!this.#pool.ending) logger.warn({ reason: message }, 'an idle database connection was lost');
    });
  }

  async query<Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    const result = await this.#pool.query<Row>(text, [...values]);
    return result.rows;
  }

  async prepared<Row extends object>(name: string, text: string, values: readonly unknown[]): Promise<Row[]> {
    if (!this.#canPrepare) return await this.query<Row>(text, values);
    try {
      const result = await this.#pool.query<Row>({ name, text, values: [...values] });
      return result.rows;
    } catch (error) {
      if (!lostPreparedCodes.has((error as pg.DatabaseError).code ?? '')) throw error;
      // A pooler between us and the server that does not know prepared statements: we do without them.
      this.#canPrepare = false;
      return await this.query<Row>(text, values);
    }
  }

  /** Runs `work` in one transaction: committed when it resolves, rolled back when it throws. */
  async transaction<Result>(work: (tx: Queryable) => Promise<Result>): Promise<Result> {
    const client = await this.#pool.connect();
    let broken: Error | undefined;
    try {
      await client.query('begin');
      const result = await work(queryableOf(client));
      await client.query('commit');
      return result;
    } catch (error) {
      await client.query('rollback').catch((rollbackError: Error) => {
        broken = rollbackError;
      });
      throw error;
    } finally {
      client.release(broken);
    }
  }

  /** A connection outside the pool, for what lives as long as a session does: advisory locks, LISTEN. */
  holdSession(applicationName: string): Promise<DatabaseSession> {
    return openSession({ connectionString: this.connectionString, applicationName });
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }
}

/** One connection held on purpose. */
export interface DatabaseSession extends Queryable {
  /** Resolves, with the reason, when the connection ends without our having closed it. */
  readonly lost: Promise<Error>;
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
    ...queryableOf(client),
    lost,
    async close() {
      closing = true;
      await client.end();
    },
  };
}

function queryableOf(client: pg.ClientBase): Queryable {
  return {
    async query<Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
      const result = await client.query<Row>(text, [...values]);
      return result.rows;
    },
  };
}

/** The one row a statement must give. */
export function onlyRow<Row>(rows: readonly Row[]): Row {
  const [row] = rows;
  if (row === undefined || rows.length !== 1) throw new Error(`expected one row, got ${rows.length}`);
  return row;
}
