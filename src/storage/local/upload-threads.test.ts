import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { UploadThreads } from './upload-threads.ts';

async function start(t: TestContext) {
  const directory = await mkdtemp(join(tmpdir(), 'longhand-threads-'));
  const threads = new UploadThreads();
  t.after(async () => {
    await threads.close();
    await rm(directory, { recursive: true });
  });
  const openFile = async (name: string, flags = 'w') => {
    const file = await open(join(directory, name), flags);
    t.after(() => file.close());
    return { fd: file.fd, unbufferedFd: undefined };
  };
  return { directory, threads, openFile };
}

function md5Of(bytes: Buffer): string {
  return digestOf('md5', bytes);
}

function digestOf(hash: 'md5' | 'sha1', bytes: Buffer): string {
  return createHash(hash).update(bytes).digest('hex');
}

/** Alone in its memory, as the chunks of a request are. */
function ownChunk(bytes: Buffer): Buffer {
  const chunk = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(chunk);
  return chunk;
}

test('uploads of all sizes at once are written whole and have the digest of node:crypto', async (t) => {
  const { directory, threads, openFile } = await start(t);
  const sizes = [0, 1, 63, 64, 65, 65_536, 262_145, 1_048_577, 3_333_333];
  const uploads = sizes.map(async (size, index) => {
    const hash = index % 2 === 0 ? 'md5' : 'sha1';
    const bytes = randomBytes(size);
    const writer = threads.begin(await openFile(`${size}`), hash);
    const writes: Promise<void>[] = [];
    for (let start = 0; start < size; start += 65_536) {
      writes.push(writer.write([ownChunk(bytes.subarray(start, start + 65_536))]));
    }
    const { digest, rest } = await writer.end();
    await Promise.all(writes);
    assert.equal(digest.toString('hex'), digestOf(hash, bytes));
    assert.ok(rest.length < 4096);
    assert.ok(Buffer.concat([await readFile(join(directory, `${size}`)), rest]).equals(bytes));
  });
  await Promise.all(uploads);
});

test('a chunk of its own is detached, one inside a larger buffer is copied', async (t) => {
  const { threads, openFile } = await start(t);
  const writer = threads.begin(await openFile('a'), 'md5');
  const [own, larger] = [ownChunk(Buffer.from('abc')), ownChunk(Buffer.from('-def-'))];
  await writer.write([own, larger.subarray(1, 4)]);
  assert.equal(own.length, 0);
  assert.equal(larger.toString(), '-def-');
  assert.equal((await writer.end()).digest.toString('hex'), md5Of(Buffer.from('abcdef')));
});

test('a write that fails says why, and other uploads go on', async (t) => {
  const { threads, openFile } = await start(t);
  await openFile('a');
  const failing = threads.begin(await openFile('a', 'r'), 'md5');
  await assert.rejects(failing.write([Buffer.alloc(4096)]), { code: 'EBADF' });
  await failing.end();
  const writer = threads.begin(await openFile('b'), 'md5');
  await writer.write([Buffer.from('abc')]);
  assert.equal((await writer.end()).digest.toString('hex'), md5Of(Buffer.from('abc')));
});

const onLinux = { skip: process.platform !== 'linux' && 'a file that refuses so exists on Linux only' };

test('a file that cannot be written unbuffered is written as usual', onLinux, async (t) => {
  const { directory, threads, openFile } = await start(t);
  const { fd } = await openFile('a');
  // Answers EINVAL to anything but a number, as a file system does that has no unbuffered writes.
  const refusing = await open('/proc/self/oom_score_adj', 'r+');
  t.after(() => refusing.close());
  const writer = threads.begin({ fd, unbufferedFd: refusing.fd }, 'md5');
  await writer.write([Buffer.alloc(8192, 'a')]);
  await writer.end();
  assert.ok((await readFile(join(directory, 'a'))).equals(Buffer.alloc(8192, 'a')));
});

test('when the threads end, their uploads fail and new ones are taken', async (t) => {
  const { threads, openFile } = await start(t);
  const file = await openFile('a');
  const writer = threads.begin(file, 'md5');
  const writing = assert.rejects(writer.write([Buffer.from('abc')]), /ended/);
  await threads.close();
  await writing;
  await assert.rejects(writer.end(), /ended/);
  const next = threads.begin(file, 'md5');
  await next.write([Buffer.from('abc')]);
  assert.equal((await next.end()).digest.toString('hex'), md5Of(Buffer.from('abc')));
});
