/** What the pool and a dedicated connection share: the limits of a connection, and a statement on it. */
import type pg from 'pg';
import { databaseFault } from './database-fault.ts';

/** What a store needs: the pool, or one transaction of it. */
export interface Queryable {
  query<Row extends object = Record<string, unknown>>(
    text: string,
    values?: readonly unknown[],
  ): Promise<Row[]>;
}

/** For a new connection, or a free one of the pool. */
export const connectTimeoutMs = 4_000;
export const statementTimeoutMs = 30_000;
/** Longer than the server's, which gives the better error. */
export const defaultQueryTimeoutMs = statementTimeoutMs + 5_000;
export const idleTransactionTimeoutMs = 60_000;

/** The server ends what takes too long. A pooler in between refuses to pass them on. */
export const serverLimits = {
  statement_timeout: statementTimeoutMs,
  idle_in_transaction_session_timeout: idleTransactionTimeoutMs,
};

export function queryableOf(client: pg.ClientBase, queryTimeoutMs: number): Queryable {
  return {
    query: (text, values = []) => queried(client, { text, values: [...values] }, queryTimeoutMs),
  };
}

export async function queried<Row extends object>(
  client: pg.ClientBase,
  query: pg.QueryConfig,
  queryTimeoutMs: number,
): Promise<Row[]> {
  const limited = { ...query, query_timeout: queryTimeoutMs };
  return rowsOf(await client.query<Row>(limited).catch(throwFault));
}

/** What a pooler says to limits. */
export function isParameterRefused(error: unknown): boolean {
  return /unsupported startup parameter/.test((error as Error).message);
}

/** A text of several statements has several results. */
export function rowsOf<Row extends object>(result: pg.QueryResult<Row> | pg.QueryResult<Row>[]): Row[] {
  return Array.isArray(result) ? result.flatMap(({ rows }) => rows) : result.rows;
}

function throwFault(error: unknown): never {
  throw databaseFault(error);
}
