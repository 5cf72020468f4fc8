/**
 * The database cannot be reached, does not answer in time, or takes no work for now. Nothing is known to be wrong with
 * the statement: the same may succeed later.
 */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable';
}

/** Of the operating system: no server there, or the connection broke. ENOENT is the missing file of a Unix socket. */
const connectionCodes: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'ENOENT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

/**
 * SQLSTATE: 08 connection exceptions, 28 refused logins, 3D no such database, 53 insufficient resources (connections,
 * disk, memory), 57 shutdown, starting up and time limits, 58 faults of its own disk, 25006 a standby after a failover,
 * 25P03 an abandoned transaction, 40 deadlock and serialization, 55P03 a lock that could not be had.
 */
const passingStates = /^(08...|28...|3D000|53...|57...|58...|25006|25P03|40...|55P03)$/;

/** The driver has only words for these. */
const driverWords =
  /^(Query read timeout|timeout exceeded when trying to connect|Connection terminated|Client (was closed|has encountered a connection error)|Cannot use a pool after calling end)/;

/** What an error of the driver means to us. A statement that is wrong in itself stays the error that it is. */
export function databaseFault(error: unknown): unknown {
  const { code = '', message = '' } = error as { code?: string; message?: string };
  const isAway = connectionCodes.has(code) || passingStates.test(code) || driverWords.test(message);
  return isAway
    ? new DatabaseUnavailable(`the database is not available: ${message}`, { cause: error })
    : error;
}
