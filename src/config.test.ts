import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { readConfig } from './config.ts';
import { StartError } from './platform/start-error.ts';

test('without settings everything has its documented default', () => {
  const config = readConfig({});
  assert.deepEqual(
    [
      config.host,
      config.port,
      config.storage,
      config.role,
      config.multipartThresholdBytes,
      config.retentionDays,
      config.logLevel,
    ],
    ['127.0.0.1', 8080, 'local', 'all', 104_857_600, 30, 'info'],
  );
  assert.deepEqual(config.rateLimits, { requestsPerMinute: 600, createsPerMinute: 60 });
  assert.deepEqual([...config.plans.keys()], ['free', 'pro']);
  assert.deepEqual([...config.protocols], ['web', 'mcp', 'openai']);
  assert.deepEqual(config.warnings, []);
});

test('an empty variable is the same as none', () => {
  assert.equal(readConfig({ LONGHAND_PORT: '', LONGHAND_DATABASE_URL: '' }).port, 8080);
});

test('protocols are chosen by name; none leaves the API alone', () => {
  const protocols = (text: string) => [...readConfig({ LONGHAND_DOORS: text }).protocols];
  assert.deepEqual(protocols('openai, web'), ['openai', 'web']);
  assert.deepEqual(protocols('none'), []);
  assert.throws(
    () => protocols('web,grpc'),
    new StartError('The setting LONGHAND_DOORS must be some of web, mcp, openai, with commas, or none.'),
  );
});

test('no secret is in what is printed at start', () => {
  const secrets = {
    LONGHAND_DATABASE_URL: 'postgres://me:hunter2@db/longhand',
    LONGHAND_S3_SECRET_ACCESS_KEY: 'hunter2',
    LONGHAND_S3_SESSION_TOKEN: 'hunter2',
    LONGHAND_DATABASE_DIRECT_URL: 'postgres://u:hunter2@h/d',
    LONGHAND_SECRET_KEY: Buffer.alloc(32, 1).toString('base64'),
    LONGHAND_API_KEY: `lh_${'h'.repeat(36)}`,
    LONGHAND_ENGINE_KEY: 'hunter2',
    LONGHAND_KEY: 'hunter2',
  };
  const { redacted } = readConfig({ ...secrets, LONGHAND_PORT: '9000' });
  assert.equal(redacted.LONGHAND_PORT, '9000');
  for (const name of Object.keys(secrets)) assert.equal(redacted[name], '[redacted]', name);
});

test('a wrong setting is one sentence that names it and does not repeat a secret', () => {
  const fault = (environment: Record<string, string>) => {
    try {
      readConfig(environment);
    } catch (error) {
      return (error as Error).message;
    }
    return '';
  };
  assert.equal(
    fault({ LONGHAND_PORT: '65536' }),
    'The setting LONGHAND_PORT must be a port number from 0 to 65535.',
  );
  assert.match(
    fault({ LONGHAND_SECRET_KEY: 'hunter2' }),
    /^The setting LONGHAND_SECRET_KEY must be (?!.*hunter2).*\.$/,
  );
  assert.match(
    fault({ LONGHAND_DATABASE_URL: 'hunter2' }),
    /^The setting LONGHAND_DATABASE_URL must be (?!.*hunter2).*\.$/,
  );
  assert.match(fault({ LONGHAND_STORAGE: 's3' }), /LONGHAND_S3_BUCKET/);
  const half = { LONGHAND_S3_BUCKET: 'b', LONGHAND_S3_ACCESS_KEY_ID: 'a' };
  assert.match(fault(half), /LONGHAND_S3_SECRET_ACCESS_KEY must be set together/);
  const wrong: Record<string, string> = {
    LONGHAND_PUBLIC_URL: 'longhand.example.com',
    LONGHAND_STORAGE: 'tape',
    LONGHAND_API_KEY: 'secret',
    LONGHAND_ROLE: 'boss',
    LONGHAND_WORKERS: '0',
    LONGHAND_MULTIPART_THRESHOLD: 'big',
    LONGHAND_WEBHOOK_SCHEDULE: 'soon',
    LONGHAND_EGRESS_ALLOW: 'localhost',
    LONGHAND_RETENTION_DAYS: '-1',
    LONGHAND_LOG_LEVEL: 'loud',
    LONGHAND_TLS_CERT: '/cert.pem',
    LONGHAND_ENGINE_URL: 'not a url',
    LONGHAND_S3_FORCE_PATH_STYLE: 'maybe',
    LONGHAND_SERVER: 'longhand.example.com',
  };
  for (const [name, text] of Object.entries(wrong)) {
    assert.match(fault({ [name]: text }), new RegExp(`^[^\\n]*${name}[^\\n]*\\.$`), name);
  }
});

test('what belongs to a user is in the XDG directories, or where they are by default', () => {
  const { client } = readConfig({ XDG_CONFIG_HOME: '/c', XDG_STATE_HOME: 'relative' });
  assert.equal(client.configDir, join('/c', 'longhand'));
  assert.equal(client.stateDir, join(homedir(), '.local', 'state', 'longhand'));
});

test('plans come from a file, with every field checked', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'longhand-'));
  t.after(() => rm(directory, { recursive: true }));
  const file = join(directory, 'plans.json');
  const team = {
    file_bytes_max: 10,
    media_seconds_max: 20,
    daily_transcriptions_max: 30,
    speaker_diarization: true,
  };
  await writeFile(file, JSON.stringify({ team }));
  assert.deepEqual(
    [...readConfig({ LONGHAND_PLANS: file }).plans.values()],
    [
      {
        name: 'team',
        fileBytesMax: 10,
        mediaSecondsMax: 20,
        dailyTranscriptionsMax: 30,
        runningTranscriptionsMax: 20,
        speakerDiarization: true,
        unclaimedBytesMax: 40,
        openUploadsMax: 100,
      },
    ],
  );
  for (const wrong of [
    {},
    { team: { ...team, file_bytes_max: 0 } },
    { team: { ...team, more: 1 } },
    { 'Te am': team },
    [],
  ]) {
    await writeFile(file, JSON.stringify(wrong));
    assert.throws(() => readConfig({ LONGHAND_PLANS: file }), /LONGHAND_PLANS/);
  }
});

test('the operator is warned of a public address without TLS or public URL, of egress pairs and of unknown names', () => {
  const { warnings } = readConfig({
    LONGHAND_HOST: '0.0.0.0',
    LONGHAND_EGRESS_ALLOW: '127.0.0.1:9000',
    LONGHAND_PROT: '1',
  });
  assert.equal(warnings.length, 4);
  assert.match(
    warnings.join('\n'),
    /LONGHAND_PROT[\s\S]*TLS[\s\S]*LONGHAND_PUBLIC_URL is not set[\s\S]*127\.0\.0\.1:9000/,
  );
  assert.deepEqual(
    readConfig({ LONGHAND_HOST: '0.0.0.0', LONGHAND_PUBLIC_URL: 'https://a.example' }).warnings,
    [],
  );
});
