/**
 * Runs inside a sandbox that has no network: listens on a port of loopback, hands every connection to the Unix socket
 * of the proxy, and meanwhile runs the program. Node starts it as plain JavaScript, a quarter of a second sooner than
 * TypeScript: no types may be written here.
 */
import { spawn } from 'node:child_process';
import { connect, createServer } from 'node:net';
import { constants } from 'node:os';
import { pipeline } from 'node:stream';

const couldNotStart = 127;
const connectionsMax = 64;
const [socket = '', port = '', command = '', ...args] = process.argv.slice(2);

const server = createServer({ allowHalfOpen: true }, (client) => {
  const proxy = connect({ path: socket, allowHalfOpen: true });
  // An error of either side ends both; the program sees a broken connection.
  pipeline(client, proxy, () => {});
  pipeline(proxy, client, () => {});
});
server.maxConnections = connectionsMax;
server.listen(Number(port), '127.0.0.1', () => {
  const program = spawn(command, args, { stdio: 'inherit' });
  program.on('error', (error) => {
    process.stderr.write(`${error.message}\n`);
    process.exit(couldNotStart);
  });
  program.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal ?? 'SIGKILL']));
});
