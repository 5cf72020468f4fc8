import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLogger } from './telemetry.ts';

function logged(write: (logger: ReturnType<typeof createLogger>) => void): Record<string, unknown> {
  let line = '';
  const destination = {
    write(text: string) {
      line += text;
    },
  };
  write(createLogger({ level: 'info', pretty: false, destination }));
  return JSON.parse(line);
}

test('of an error the log keeps its story and nothing that a library hung on it', () => {
  const cause = Object.assign(new Error('refused'), {
    code: 'ECONNREFUSED',
    headers: { authorization: 'Bearer hunter2' },
  });
  const error = Object.assign(new Error('could not connect', { cause }), { client: { password: 'hunter2' } });
  const line = logged((logger) => logger.warn({ err: error }, 'a fault'));
  const err = line.err as { message: string; cause: { message: string; code: string } };
  assert.equal(err.message, 'could not connect');
  assert.deepEqual([err.cause.message, err.cause.code], ['refused', 'ECONNREFUSED']);
  assert.ok(!JSON.stringify(line).includes('hunter2'));
});

test('fields that are never for a log are masked', () => {
  const line = logged((logger) => logger.info({ key: 'lh_secret', text: 'what was said', job: 'id' }, 'x'));
  assert.deepEqual([line.key, line.text, line.job], ['[redacted]', '[redacted]', 'id']);
});
