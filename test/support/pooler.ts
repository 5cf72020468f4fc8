/** PgBouncer in transaction mode before a database, if it is installed. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Hooks, onCleanup } from './cleanup.ts';
import { withConnection } from './empty-database.ts';
import { eventually } from './eventually.ts';
import { freePort } from './free-port.ts';
import { temporaryDataDir } from './service.ts';

const program = ['pgbouncer', '/usr/sbin/pgbouncer'].find(
  (path) => spawnSync(path, ['--version'], { timeout: 10_000 }).status === 0,
);

/** False, or the words that the test runner shows beside what it skipped. */
export const skipWithoutPooler: string | false = program
  ? false
  : 'there is no PgBouncer: ./setup --tests brings it';

/** Gives the address of the same database through the pooler, which has fewer connections than its clients. */
export async function startPooler(hooks: Hooks, databaseUrl: string): Promise<string> {
  const { pathname, searchParams } = new URL(databaseUrl);
  const [host, user] = [searchParams.get('host'), searchParams.get('user')];
  const directory = await temporaryDataDir(hooks);
  const port = await freePort();
  const file = join(directory, 'pgbouncer.ini');
  await writeFile(
    file,
    `[databases]
* = host=${host} user=${user}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 8
max_client_conn = 200
`,
  );
  // It refuses to be root; in a user namespace it is not, and still reaches what is root's.
  const wrapper =
    process.getuid?.() === 0 ? ['unshare', '--user', '--map-user=65534', '--map-group=65534', '--'] : [];
  const [command = '', ...args] = [...wrapper, program ?? '', '--quiet', file];
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const ended = once(child, 'exit');
  onCleanup(hooks, async () => {
    child.kill('SIGINT');
    await ended;
  });
  const url = `postgres://${user}@127.0.0.1:${port}${pathname}`;
  const answers = () =>
    withConnection(url, (client) => client.query('select 1')).then(
      () => true,
      () => false,
    );
  await eventually(answers, 'the pooler answers');
  return url;
}
