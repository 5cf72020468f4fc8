/** The typed client against a real service: what a developer does with it, on both storages. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Longhand, LonghandError, TranscriptionFailedError, type UploadState } from 'longhand-client';
import { fileFrom } from 'longhand-client/node';
import { newClient } from '../support/api-client.ts';
import { createTestBucket, s3Environment, skipWithoutS3 } from '../support/s3-server.ts';
import { runService, type TestService } from '../support/service.ts';
import { wavBytes } from '../support/wav-bytes.ts';

const austen = join(import.meta.dirname, '..', 'fixtures', 'austen-880.flac');
const mebibyte = 1024 * 1024;

for (const storage of ['local', 's3'] as const) {
  describe(`the client on ${storage}`, { skip: storage === 's3' && skipWithoutS3 }, () => {
    const endings: (() => Promise<void> | void)[] = [];
    const hooks = { after: (ending: () => Promise<void> | void) => void endings.push(ending) };
    let service: TestService;
    let apiKey: string;
    let longhand: Longhand;

    before(async () => {
      const bucket = storage === 's3' ? await createTestBucket(hooks) : undefined;
      service = await runService(hooks, {
        LONGHAND_STORAGE: storage,
        LONGHAND_MULTIPART_THRESHOLD: String(20 * mebibyte),
        ...(bucket && s3Environment(bucket)),
      });
      apiKey = (await newClient(service)).key ?? '';
      longhand = new Longhand({ apiKey, baseUrl: service.url });
    });
    after(async () => {
      for (const ending of endings.toReversed()) await ending();
    });

    test('a file becomes text, which comes while it is made', async () => {
      const stages = new Set<string>();
      let read = '';
      const job = await longhand.transcriptions.transcribe(await fileFrom(austen), {
        onProgress: ({ stage }) => stages.add(stage),
        onText: ({ text }) => {
          read += text;
        },
      });
      assert.equal(job.filename, 'austen-880.flac');
      assert.ok(job.text.length > 20);
      assert.equal(read, job.text);
      assert.ok(stages.size > 0);
      assert.deepEqual(
        (await longhand.transcriptions.list({ limit: 1 })).map(({ id }) => id),
        [job.id],
      );
    });

    test('an upload in parts whose process ended goes on with the parts that are missing', async () => {
      const bytes = wavBytes(1_200); // 37 MiB: three parts.
      const file = new File([bytes], 'long.wav', { type: 'audio/wav' });
      const states: UploadState[] = [];
      const dying = new AbortController();
      let sent = 0;
      const counting: typeof fetch = async (input, init) => {
        if (init?.method === 'PUT') sent += 1;
        const answer = await fetch(input, init);
        if (init?.method === 'PUT' && sent >= 2) dying.abort(new Error('the process ended'));
        return answer;
      };
      const first = new Longhand({ apiKey, baseUrl: service.url, fetch: counting });
      await assert.rejects(
        first.uploads.upload(file, {
          parallel: 1,
          signal: dying.signal,
          onState: (state) => states.push(state),
        }),
        /the process ended/,
      );
      const [state] = states;
      assert.ok(state);
      const kept = JSON.parse(JSON.stringify(state)) as UploadState;
      const before = sent;
      const seen: number[] = [];
      const second = new Longhand({ apiKey, baseUrl: service.url, fetch: counting });
      const upload = await second.uploads.upload(file, {
        resumeFrom: kept,
        onProgress: ({ bytesSent }) => seen.push(bytesSent),
      });
      const parts = Math.ceil(bytes.length / state.part_size);
      assert.ok(sent - before < parts, `${sent - before} of ${parts} parts were sent again`);
      assert.ok((seen[0] ?? 0) > 0, 'what was stored counts from the start');
      assert.equal(seen.at(-1), bytes.length);
      assert.equal((await second.transcriptions.create({ upload })).status, 'processing');
    });

    test('a paused upload sends nothing until it is taken up', async () => {
      const file = new File([wavBytes(750)], 'a.wav');
      let moved = 0;
      const begun = Promise.withResolvers<void>();
      const task = longhand.uploads.start(file, {
        onState: () => begun.resolve(),
        onProgress: ({ bytesSent }) => {
          moved = bytesSent;
        },
      });
      task.pause();
      await begun.promise;
      await longhand.transcriptions.list(); // Long enough for a part to have left.
      assert.equal(moved, 0);
      task.resume();
      assert.equal((await task.done).size, file.size);
      assert.equal(moved, file.size);
    });

    test('a stream of known size is sent in parts, and one that ends early says so', async () => {
      const bytes = wavBytes(700);
      const stream = new Blob([bytes]).stream();
      const upload = await longhand.uploads.upload({ stream, size: bytes.length, name: 'streamed.wav' });
      assert.equal(upload.size, bytes.length);
      const short = new Blob([bytes.subarray(0, 100)]).stream();
      await assert.rejects(
        longhand.uploads.upload({ stream: short, size: bytes.length, name: 'short.wav' }),
        (error: LonghandError) => error.code === 'stream_ended',
      );
    });

    test('an aborted upload leaves nothing that could be completed', async () => {
      const task = longhand.uploads.start(new File([wavBytes(700)], 'b.wav'), { parallel: 1 });
      await task.abort();
      await assert.rejects(task.done, (error: LonghandError) => error.code === 'aborted');
    });

    test('refusals, failures and a service that is away are told apart', async () => {
      await assert.rejects(
        longhand.uploads.upload(new File(['x'], 'notes.txt')),
        (error: LonghandError) =>
          error.status === 415 && error.code === 'unsupported_type' && !!error.requestId,
      );
      await assert.rejects(
        longhand.transcriptions.transcribe('http://127.0.0.1/private.mp3'),
        (error: LonghandError) => error.code === 'invalid_source_url',
      );
      const stranger = new Longhand({ apiKey: 'lh_wrong', baseUrl: service.url });
      await assert.rejects(stranger.transcriptions.list(), (error: LonghandError) => error.status === 401);
      const away = new Longhand({ apiKey, baseUrl: 'http://127.0.0.1:9', maxRetries: 1 });
      await assert.rejects(
        away.transcriptions.list(),
        (error: LonghandError) => error instanceof LonghandError && error.code === 'connection_failed',
      );
      const noise = Buffer.concat([wavBytes(1).subarray(0, 44), Buffer.alloc(0)]);
      await assert.rejects(
        longhand.transcriptions.transcribe(new File([noise], 'broken.wav')),
        (error: unknown) => error instanceof TranscriptionFailedError || error instanceof LonghandError,
      );
    });
  });
}
