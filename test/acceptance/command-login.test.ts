/** How a command finds its server: `login`, what it saves, and what never happens to a key. */
import assert from 'node:assert/strict';
import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { newClient } from '../support/api-client.ts';
import { onTerminal, startCommand } from '../support/command.ts';
import { freePort } from '../support/free-port.ts';
import { type CommandResult, longhand, runService, temporaryDataDir } from '../support/service.ts';

const service = await runService({ after });
const { key = '' } = await newClient(service);

/** A person on another machine: nothing of the service's own settings. */
async function person() {
  const home = await temporaryDataDir({ after });
  const environment = {
    PATH: process.env.PATH ?? '',
    XDG_CONFIG_HOME: join(home, 'config'),
    XDG_STATE_HOME: join(home, 'state'),
    LONGHAND_DATA_DIR: join(home, 'data'),
  };
  return { environment, file: join(home, 'config', 'longhand', 'login.json'), home };
}

function saysNothingOf(secret: string, { stdout, stderr }: CommandResult): void {
  assert.ok(!stdout.includes(secret) && !stderr.includes(secret), 'the key was printed');
}

test('a login is checked, saved for its owner alone, and forgotten by logout', async () => {
  const { environment, file } = await person();
  const result = await longhand(environment, 'login', `${service.url}/`, '--key', key);
  assert.equal(result.code, 0, result.stderr);
  saysNothingOf(key, result);
  assert.deepEqual(JSON.parse(await readFile(file, 'utf8')), { url: service.url, key });
  assert.equal((await stat(file)).mode & 0o777, 0o600);

  assert.deepEqual(JSON.parse((await longhand(environment, 'logout', '--json')).stdout), {
    server: service.url,
  });
  await assert.rejects(stat(file), { code: 'ENOENT' });
  const again = await longhand(environment, 'logout');
  assert.deepEqual([again.code, again.stdout], [0, 'There is no saved login.\n']);
});

test('the key comes by standard input, too', async () => {
  const { environment, file, home } = await person();
  const input = join(home, 'key.txt');
  await writeFile(input, `${key}\n`);
  const result = await startCommand(environment, ['login', service.url], { inputFile: input }).result;
  assert.equal(result.code, 0, result.stderr);
  saysNothingOf(key, result);
  assert.equal(JSON.parse(await readFile(file, 'utf8')).key, key);
});

test('a key that is typed on a terminal is not shown', async () => {
  const { environment, file } = await person();
  const drawn = await onTerminal(environment, ['login', service.url], {
    answer: { to: 'API key for', text: `${key}\n` },
  });
  assert.ok(!drawn.includes(key.slice(3, 10)), drawn);
  assert.equal(JSON.parse(await readFile(file, 'utf8')).key, key);
});

test('a server or key that does not work is named in one sentence, and what was saved stays', async () => {
  const { environment, file } = await person();
  await longhand(environment, 'login', service.url, '--key', key);
  const saved = await readFile(file, 'utf8');
  const wrongKey = `lh_${'x'.repeat(36)}`;
  const closed = `http://127.0.0.1:${await freePort()}`;
  const mistakes: [args: string[], code: number, sentence: RegExp][] = [
    [[service.url, '--key', wrongKey], 1, /does not take this key/],
    [[closed, '--key', key], 1, /Nothing answers at http:/],
    [[`${service.url}/docs`, '--key', key], 1, /There is no Longhand at/],
    [['longhand.example.com', '--key', key], 2, /http or https URL/],
    [['http://me:secret@127.0.0.1', '--key', key], 2, /no credentials/],
    [[service.url, '--key', ' '], 2, /No key was given/],
  ];
  for (const [args, code, sentence] of mistakes) {
    const result = await longhand(environment, 'login', ...args);
    assert.deepEqual([result.code, result.stdout], [code, ''], result.stderr);
    assert.match(result.stderr, /^longhand: [^\n]*\n$/);
    assert.match(result.stderr, sentence);
    saysNothingOf(key, result);
    saysNothingOf(wrongKey, result);
    assert.equal(await readFile(file, 'utf8'), saved);
  }
});

test('a saved login that is broken is named; logout clears it away', async () => {
  const { environment, file } = await person();
  await longhand(environment, 'login', service.url, '--key', key);
  await chmod(file, 0o600);
  await writeFile(file, '{"url":');
  const result = await longhand(environment, 'transcribe', '/nowhere.mp3');
  assert.equal(result.code, 1);
  assert.match(result.stderr, /The saved login ".*login\.json" cannot be used/);
  assert.equal((await longhand(environment, 'logout')).code, 0);
});
