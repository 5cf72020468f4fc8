import { createHash } from 'node:crypto';
import pg from 'pg';
import { systemClock } from '../clock.ts';
import type { Logger } from '../telemetry/telemetry.ts';
import {
  connectTimeoutMs,
  defaultQueryTimeoutMs,
  idleTransactionTimeoutMs,
  isParameterRefused,
  type Queryable,
  queried,
  queryableOf,
  rowsOf,
  serverLimits,
  statementTimeoutMs,
} from './database-connection.ts';
import { DatabaseUnavailable, databaseFault } from './database-fault.ts';
import { type DedicatedConnection, openConnection } from './dedicated-connection.ts';

export type { Queryable } from './database-connection.ts';

/** For the few statements that run hundreds of times a second: parsed and planned once for each connection. */
export interface PreparedQueryable {
  prepared<Row extends object = Record<string, unknown>>(
    name: string,
    text: string,
    values: readonly unknown[],
  ): Promise<Row[]>;
}

export interface DatabaseOptions {
  connectionString: string;
  /** Leads to the server itself where a pooler stands between; for what belongs to one connection. */
  directConnectionString?: string | undefined;
  connectionsMax: number;
  applicationName: string;
  logger: Logger;
  /** How long a statement may take until its answer is here. The server's own limit does not help when it is stopped. */
  queryTimeoutMs?: number;
}

const closeTimeoutMs = 3_000;
/** invalid_sql_statement_name, duplicate_prepared_statement */
const lostPreparedCodes: ReadonlySet<string> = new Set(['26000', '42P05']);
/** A connection that nobody uses for so long is given back to the server. */
const idleConnectionMs = 30_000;

/**
 * A bounded pool of PostgreSQL connections. Every call ends within its limits;
 * a database that is away is reported as DatabaseUnavailable.
 */
export class Database implements Queryable, PreparedQueryable {
  readonly #options: DatabaseOptions;
  readonly #pool: pg.Pool;
  readonly #queryTimeoutMs: number;
  readonly #counts: { faults: number };
  #canPrepare = true;

  constructor(
    options: DatabaseOptions,
    { pool, counts }: { pool: pg.Pool; counts: { faults: number } } = {
      pool: newPool(options),
      counts: { faults: 0 },
    },
  ) {
    this.#options = options;
    this.#pool = pool;
    this.#counts = counts;
    this.#queryTimeoutMs = options.queryTimeoutMs ?? defaultQueryTimeoutMs;
  }

  get connectionString(): string {
    return this.#options.connectionString;
  }

  /** The same connections for somebody who cannot wait as long. Closed with the one it is made of. */
  limitedTo(queryTimeoutMs: number): Database {
    const shared = { pool: this.#pool, counts: this.#counts };
    return new Database({ ...this.#options, queryTimeoutMs }, shared);
  }

  /** How often it was not available, since the start. */
  get faults(): number {
    return this.#counts.faults;
  }

  async query<Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    return await this.#run<Row>({ text, values: [...values] });
  }

  async prepared<Row extends object>(name: string, text: string, values: readonly unknown[]): Promise<Row[]> {
    if (!this.#canPrepare) return await this.query<Row>(text, values);
    try {
      return await this.#run<Row>({ name: preparedName(name, text), text, values: [...values] });
    } catch (error) {
      if (!isPreparedLost(error)) throw error;
      // A pooler between us and the server that does not know prepared statements: we do without them.
      this.#canPrepare = false;
      return await this.query<Row>(text, values);
    }
  }

  /** Runs `work` in one transaction: committed when it resolves, rolled back when it throws. */
  async transaction<Result>(work: (tx: Queryable) => Promise<Result>): Promise<Result> {
    const client = await this.#connected(() => this.#pool.connect()).catch((error: unknown) => {
      throw this.#fault(error);
    });
    const tx = this.#transactionOn(client);
    let broken: Error | undefined;
    // The pool listens only while nobody has the connection: one that dies between two statements would end the process.
    const onLost = (error: Error) => {
      broken = error;
    };
    client.on('error', onLost);
    try {
      await tx.query(this.#isPooled ? beginLimited : 'begin');
      const result = await work(tx);
      await tx.query('commit');
      return result;
    } catch (error) {
      if (isPreparedLost(error)) this.#canPrepare = false;
      // Without its connection a transaction is rolled back; to ask for it would only wait once more.
      if (error instanceof DatabaseUnavailable) {
        broken = error;
        this.#counts.faults += 1;
      } else await tx.query('rollback').catch((rollbackError: Error) => (broken = rollbackError));
      throw error;
    } finally {
      client.off('error', onLost);
      client.release(broken);
    }
  }

  async #run<Row extends object>(query: pg.QueryConfig): Promise<Row[]> {
    const limited = { ...query, query_timeout: this.#queryTimeoutMs };
    try {
      return rowsOf(await this.#connected(() => this.#pool.query<Row>(limited)));
    } catch (error) {
      throw this.#fault(error);
    }
  }

  /**
   * Prepared statements stay with the connection, for the transactions after this one. Not behind a pooler: one that does
   * not know them would break a transaction, which cannot be repeated here as a single statement can.
   */
  #transactionOn(client: pg.ClientBase): Queryable {
    const tx = queryableOf(client, this.#queryTimeoutMs);
    if (this.#isPooled || !this.#canPrepare) return tx;
    const prepared: PreparedQueryable['prepared'] = (name, text, values) =>
      queried(client, { name: preparedName(name, text), text, values: [...values] }, this.#queryTimeoutMs);
    return Object.assign(tx, { prepared });
  }

  #fault(error: unknown): unknown {
    const fault = databaseFault(error);
    if (fault instanceof DatabaseUnavailable) this.#counts.faults += 1;
    return fault;
  }

  get #isPooled(): boolean {
    return !('statement_timeout' in this.#pool.options);
  }

  /** Does without the server's own limits where a pooler refuses them. */
  async #connected<Result>(attempt: () => Promise<Result>): Promise<Result> {
    try {
      return await attempt();
    } catch (error) {
      if (!isParameterRefused(error)) throw error;
      delete this.#pool.options.statement_timeout;
      delete this.#pool.options.idle_in_transaction_session_timeout;
      return await attempt();
    }
  }

  /** A connection outside the pool, for what belongs to one connection: advisory locks, LISTEN. */
  dedicatedConnection(applicationName: string): Promise<DedicatedConnection> {
    const { connectionString, directConnectionString } = this.#options;
    return openConnection({ connectionString: directConnectionString ?? connectionString, applicationName });
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
    idleTimeoutMillis: idleConnectionMs,
    ...serverLimits,
  });
  // Without a listener the death of an idle connection would end the process. The error carries its whole
  // connection, secrets included, so only its words are logged.
  pool.on('error', ({ message }) => {
    if (!pool.ending) logger.warn({ reason: message }, 'an idle database connection was lost');
  });
  return pool;
}

/** Parsed and planned once for each connection where that is possible. */
export function hotQuery<Row extends object>(
  db: Queryable | (Queryable & PreparedQueryable),
  name: string,
  text: string,
  values: readonly unknown[],
): Promise<Row[]> {
  return 'prepared' in db ? db.prepared<Row>(name, text, values) : db.query<Row>(text, values);
}

/** Behind a pooler a transaction brings its limits along, in the same message. */
const beginLimited = `begin; set local statement_timeout = ${statementTimeoutMs}; set local idle_in_transaction_session_timeout = ${idleTransactionTimeoutMs}`;

function isPreparedLost(error: unknown): boolean {
  return lostPreparedCodes.has((error as Partial<pg.DatabaseError>).code ?? '');
}

const preparedNames = new Map<string, string>();

/** Behind a pooler processes of two releases meet on one connection: the same name always means the same text. */
function preparedName(name: string, text: string): string {
  const known = preparedNames.get(text);
  if (known !== undefined) return known;
  const made = `${name}_${createHash('sha256').update(text).digest('hex').slice(0, 8)}`;
  preparedNames.set(text, made);
  return made;
}

/** The one row a statement must give. */
export function onlyRow<Row>(rows: readonly Row[]): Row {
  const [row] = rows;
  if (row === undefined || rows.length !== 1) throw new Error(`expected one row, got ${rows.length}`);
  return row;
}
