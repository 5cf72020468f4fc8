import pg from 'pg';
import {
  connectTimeoutMs,
  defaultQueryTimeoutMs,
  isParameterRefused,
  type Queryable,
  queryableOf,
  serverLimits,
} from './database-connection.ts';

/** One connection held on purpose. */
export interface DedicatedConnection extends Queryable {
  /** Resolves, with the reason, when the connection ends without our having closed it. */
  readonly lost: Promise<Error>;
  /** Calls `hear` with the payload of each notification of the channel, from now on. */
  listen(channel: string, hear: (payload: string) => void): Promise<void>;
  close(): Promise<void>;
}

export interface ConnectionOptions {
  connectionString: string;
  applicationName: string;
}

export async function openConnection(options: ConnectionOptions): Promise<DedicatedConnection> {
  const { statement_timeout } = serverLimits;
  try {
    return await openConnectionWith(options, { statement_timeout });
  } catch (error) {
    if (!isParameterRefused(error)) throw error;
    return await openConnectionWith(options, {});
  }
}

async function openConnectionWith(
  { connectionString, applicationName }: ConnectionOptions,
  limits: Partial<typeof serverLimits>,
): Promise<DedicatedConnection> {
  const client = new pg.Client({
    connectionString,
    application_name: applicationName,
    connectionTimeoutMillis: connectTimeoutMs,
    ...limits,
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
