/** The examples of docs/webhooks.md and of the page /docs, run as a reader would run them. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { newSigningSecret, signature, signingKey } from '../../src/webhook/signature.ts';

const docs = join(import.meta.dirname, '..', '..', 'docs');
const directory = mkdtempSync(join(tmpdir(), 'longhand-docs-'));
after(() => rmSync(directory, { recursive: true }));

const secret = newSigningSecret();
const body = Buffer.from('{"id":"evt","filename":"Gespräch 🎙.mp3"}');
const timestampSeconds = Math.floor(Date.now() / 1000);

function headersOf(signedAtSeconds: number): Record<string, string> {
  const signed = { key: signingKey(secret), eventId: 'evt', timestampSeconds: signedAtSeconds, body };
  return {
    'webhook-id': 'evt',
    'webhook-timestamp': String(signedAtSeconds),
    'webhook-signature': `v1,AAAA ${signature(signed)}`,
  };
}

function example(file: string): string {
  return readFileSync(join(docs, 'examples', file), 'utf8');
}

const forged = Buffer.concat([body, Buffer.from(' ')]);

test('the TypeScript example accepts a genuine event and refuses a forged and a stale one', async () => {
  const file = join(directory, 'verify.ts');
  writeFileSync(file, example('verify-webhook.ts'));
  const { verifyWebhook } = await import(file);
  assert.equal(verifyWebhook(secret, headersOf(timestampSeconds), body).id, 'evt');
  assert.throws(() => verifyWebhook(secret, headersOf(timestampSeconds), forged), /signature/);
  assert.throws(() => verifyWebhook(newSigningSecret(), headersOf(timestampSeconds), body), /signature/);
  assert.throws(() => verifyWebhook(secret, headersOf(timestampSeconds - 301), body), /timestamp/);
  assert.throws(() => verifyWebhook(secret, {}, body), /missing/);
});

const hasPython = spawnSync('python3', ['-c', 'str.removeprefix']).status === 0;

test('the Python example does the same', { skip: !hasPython && 'python3 is not here' }, () => {
  const file = join(directory, 'verify.py');
  writeFileSync(
    file,
    `${example('verify_webhook.py')}\nimport sys\nprint(verify_webhook(sys.argv[1], json.loads(sys.argv[2]), sys.stdin.buffer.read())["id"])\n`,
  );
  const run = (headers: Record<string, string>, input: Buffer) =>
    spawnSync('python3', [file, secret, JSON.stringify(headers)], { input, encoding: 'utf8' });
  assert.equal(run(headersOf(timestampSeconds), body).stdout, 'evt\n');
  assert.match(run(headersOf(timestampSeconds), forged).stderr, /the signature does not fit/);
  assert.match(run(headersOf(timestampSeconds - 301), body).stderr, /too far from now/);
});

const hasGo = spawnSync('go', ['version']).status === 0;

test('the Go example does the same', { skip: !hasGo && 'go is not here' }, () => {
  const file = join(directory, 'verify.go');
  const main = `
func main() {
	body, _ := io.ReadAll(os.Stdin)
	header := http.Header{}
	for _, pair := range os.Args[2:] {
		name, value, _ := strings.Cut(pair, "=")
		header.Set(name, value)
	}
	fmt.Print(Verify(os.Args[1], header, body))
}
`;
  const code = example('verify_webhook.go')
    .replace('package webhook', 'package main')
    .replace('import (', 'import (\n"fmt"\n"io"\n"os"');
  writeFileSync(file, code + main);
  const program = join(directory, 'verify');
  const env = { ...process.env, GOCACHE: join(directory, 'cache'), GO111MODULE: 'off', GOFLAGS: '' };
  execFileSync('go', ['build', '-o', program, file], { env });
  const run = (headers: Record<string, string>, input: Buffer) => {
    const pairs = Object.entries(headers).map(([name, value]) => `${name}=${value}`);
    return execFileSync(program, [secret, ...pairs], { input, encoding: 'utf8' });
  };
  assert.equal(run(headersOf(timestampSeconds), body), '<nil>');
  assert.equal(run(headersOf(timestampSeconds), forged), 'the signature does not fit');
  assert.equal(run(headersOf(timestampSeconds - 301), body), 'the timestamp is too far from now');
  assert.equal(run({}, body), 'the timestamp is not a number');
});

const hasPhp = spawnSync('php', ['--version']).status === 0;

test('the PHP example does the same', { skip: !hasPhp && 'php is not here' }, () => {
  const file = join(directory, 'verify.php');
  writeFileSync(
    file,
    `${example('verify-webhook.php')}\necho verify_webhook($argv[1], json_decode($argv[2], true), file_get_contents('php://stdin'))['id'];\n`,
  );
  const run = (headers: Record<string, string>, input: Buffer) =>
    spawnSync('php', ['-d', 'display_errors=stderr', file, secret, JSON.stringify(headers)], {
      input,
      encoding: 'utf8',
    });
  assert.equal(run(headersOf(timestampSeconds), body).stdout, 'evt');
  assert.match(run(headersOf(timestampSeconds), forged).stderr, /the signature does not fit/);
  assert.match(run(headersOf(timestampSeconds - 301), body).stderr, /too far from now/);
  assert.match(run({}, body).stderr, /too far from now/);
});

const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

test('the openssl example tells genuine from forged', { skip: !hasOpenssl && 'openssl is not here' }, () => {
  const page = readFileSync(join(docs, 'webhooks.md'), 'utf8');
  const section = page.slice(page.indexOf('### openssl, for a look by hand'));
  const [, script = ''] = /```sh\n(.*?)```/s.exec(section) ?? [];
  const run = (content: Buffer) => {
    writeFileSync(join(directory, 'body.json'), content);
    const env = {
      ...process.env,
      SECRET: secret,
      ID: 'evt',
      TIMESTAMP: String(timestampSeconds),
      SIGNATURE: headersOf(timestampSeconds)['webhook-signature']?.split(' ')[1],
    };
    return execFileSync('sh', ['-c', script], { cwd: directory, env, encoding: 'utf8' }).trim();
  };
  assert.equal(run(body), 'genuine');
  assert.equal(run(forged), 'forged');
});
