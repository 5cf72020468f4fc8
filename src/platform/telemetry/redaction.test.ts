import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLogger } from './telemetry.ts';

type Line = Record<string, unknown>;

function lineOf(write: (logger: ReturnType<typeof createLogger>) => void): Line {
  let line = '';
  const destination = {
    write(text: string) {
      line += text;
    },
  };
  write(createLogger({ level: 'info', pretty: false, destination }));
  return JSON.parse(line);
}

const apiKey = `lh_${'a1B2c3'.repeat(6)}`;
const webhookSecret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const spoken = 'what was said in confidence';

test('secret fields are masked at any depth, in any spelling, in lists too', () => {
  const line = lineOf((logger) =>
    logger.info(
      {
        job: { id: 'job', text: spoken, segments: [{ text: spoken }], nested: { words: [spoken] } },
        request: { headers: { authorization: 'Basic hunter2', 'Set-Cookie': 'hunter2', accept: 'x' } },
        upload: { key: 'hunter2', parts: [{ signing_secret: 'hunter2', signingSecret: 'hunter2' }] },
      },
      'x',
    ),
  );
  const text = JSON.stringify(line);
  for (const secret of [spoken, 'hunter2']) assert.ok(!text.includes(secret), text);
  assert.equal((line.job as Line).id, 'job');
  assert.equal(((line.request as Line).headers as Line).accept, 'x');
});

test('of a web address only the origin is kept', () => {
  const url = 'https://hooks.example.com/services/T00/hunter2?token=hunter2';
  const line = lineOf((logger) => logger.info({ subscription: { url }, receiverUrl: url }, 'x'));
  assert.deepEqual(
    [(line.subscription as Line).url, line.receiverUrl],
    ['https://hooks.example.com…', 'https://hooks.example.com…'],
  );
});

test('keys, secrets and signatures are recognised by their shape in any text', () => {
  const error = new Error(`refused ${apiKey} and ${webhookSecret}`, {
    cause: new Error('PUT http://x/o?expires=1&signature=cafe01 with Bearer hunter2hunter2'),
  });
  const line = lineOf((logger) =>
    logger.warn({ err: error, reason: 'postgres://u:hunter2@db/l' }, `tried ${apiKey}`),
  );
  const text = JSON.stringify(line);
  for (const secret of [apiKey, webhookSecret, 'cafe01', 'hunter2']) assert.ok(!text.includes(secret), text);
  assert.match((line.err as Line).message as string, /^refused \[redacted\] and \[redacted\]$/);
});

test('the fields of a child logger are masked like those of a line', () => {
  const line = lineOf((logger) =>
    logger
      .child({ upload: { key: 'hunter2' } })
      .child({ text: spoken })
      .info('x'),
  );
  assert.deepEqual([line.upload, line.text], [{ key: '[redacted]' }, '[redacted]']);
});

test('an error inside a field keeps its story and nothing that a library hung on it', () => {
  const error = Object.assign(new Error('no'), { client: { host: 'hunter2' } });
  const line = lineOf((logger) => logger.warn({ attempt: { error } }, 'x'));
  assert.ok(!JSON.stringify(line).includes('hunter2'));
  assert.equal(((line.attempt as Line).error as Line).message, 'no');
});

test('circles, bytes and very large values do no harm', () => {
  const circle: Line = { name: 'round' };
  circle.self = circle;
  const many = Array.from({ length: 10_000 }, () => 'x');
  const line = lineOf((logger) => logger.info({ circle, many, bytes: Buffer.from('hunter2') }, 'x'));
  assert.equal((line.many as string[]).length, 100);
  assert.equal(line.bytes, '[7 bytes]');
});
