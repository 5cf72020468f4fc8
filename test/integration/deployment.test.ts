/** What can be proved of the deployment files without a registry of images and a cluster. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Ajv, type ValidateFunction } from 'ajv';
import { validate } from 'dockerfile-utils';
import { parse, parseAllDocuments } from 'yaml';
import { accountStore } from '../../src/account/account-store.ts';
import { builtInPlans, parsePlanTable } from '../../src/account/plan.ts';
import { settingSchema } from '../../src/config-schema.ts';
import { onlyRow } from '../../src/platform/database/database.ts';
import { openTestDatabase } from '../support/database.ts';

const root = join(import.meta.dirname, '..', '..');
const textOf = (path: string) => readFile(join(root, path), 'utf8');
const isSetting = (name: string) => name in settingSchema.shape;

/** By the schema of the compose specification. */
function composeValidator(schema: object): ValidateFunction<unknown> {
  // It names its own schema by an address that ajv does not know, and has formats of its own.
  const ajv = new Ajv({ strict: false, validateSchema: false });
  for (const format of ['duration', 'uri', 'expose', 'ports', 'subnet_ip_address'])
    ajv.addFormat(format, true);
  return ajv.compile(schema);
}

interface Manifest {
  kind: string;
  metadata: { name: string };
  // biome-ignore lint/suspicious/noExplicitAny: each kind has its own shape, which the schema checked.
  [field: string]: any;
}

async function manifests(): Promise<Manifest[]> {
  const documents = parseAllDocuments(await textOf('deploy/kubernetes/longhand.yaml'));
  return documents.map((document) => document.toJS() as Manifest);
}

test('the Dockerfile is valid, ends as an ordinary user and copies nothing secret', async () => {
  const text = await textOf('Dockerfile');
  assert.deepEqual(
    validate(text).map(({ message }) => message),
    [],
  );
  assert.equal([...text.matchAll(/^USER (\S+)$/gm)].at(-1)?.[1], 'longhand');
  const ignored = (await textOf('.dockerignore')).split('\n');
  for (const name of ['data', '.git', 'node_modules']) assert.ok(ignored.includes(name), name);
  for (const [, name = ''] of text.matchAll(/\b(LONGHAND_\w+)=/g)) assert.ok(isSetting(name), name);
});

test('the compose file is valid, names settings and services that exist, and .env.example all that it asks for', async () => {
  const text = await textOf('deploy/compose/compose.yaml');
  const parsed = parse(text, { merge: true });
  const isValid = composeValidator(JSON.parse(await textOf('test/fixtures/compose-spec.json')));
  const found: boolean = isValid(parsed);
  assert.ok(found, JSON.stringify(isValid.errors));
  assert.ok(!isValid({ ...parsed, services: { api: { imagee: 'longhand' } } }), 'a mistake is found');
  const { services, volumes } = parsed;
  for (const name of ['postgres', 's3', 'api', 'worker', 'proxy']) assert.ok(services[name], name);
  const example = await textOf('deploy/compose/.env.example');
  for (const [, name = ''] of text.matchAll(/\$\{(\w+)/g))
    assert.match(example, new RegExp(`^${name}=`, 'm'));
  for (const name of ['api', 'worker']) {
    const { environment, depends_on, volumes: mounted } = services[name];
    for (const setting of Object.keys(environment)) assert.ok(isSetting(setting), setting);
    for (const other of Object.keys(depends_on)) assert.ok(services[other], other);
    for (const mount of mounted) assert.ok(mount.split(':')[0] in volumes, mount);
  }
});

test('the units and the manifests name settings that exist', async () => {
  for (const file of ['longhand.env.example', 'longhand-api.service', 'longhand-worker.service']) {
    const text = await textOf(`deploy/systemd/${file}`);
    for (const [, name = ''] of text.matchAll(/\b(LONGHAND_\w+)=/g)) assert.ok(isSetting(name), name);
  }
  for (const { kind, data, stringData } of await manifests()) {
    if (kind !== 'ConfigMap' && kind !== 'Secret') continue;
    for (const name of Object.keys(data ?? stringData)) assert.ok(isSetting(name), name);
  }
});

const analyze = spawnSync('systemd-analyze', ['--version'], { timeout: 10_000 }).status === 0;
test('systemd takes the units', { skip: analyze ? false : 'there is no systemd-analyze here' }, () => {
  for (const unit of ['longhand-api.service', 'longhand-worker.service']) {
    const file = join(root, 'deploy', 'systemd', unit);
    const { stderr } = spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8', timeout: 60_000 });
    // Neither the program nor its user is on this machine.
    const faults = stderr
      .split('\n')
      .filter((line) => line.includes(unit) && !/not executable|user/i.test(line));
    assert.deepEqual(faults, []);
  }
});

test('the autoscaler asks for the seconds of audio that wait', async () => {
  const scaled = (await manifests()).find(({ kind }) => kind === 'ScaledObject');
  const query: string = scaled?.spec.triggers[0].metadata.query;
  const db = await openTestDatabase({ after });
  const pending = async () => Number(Object.values(onlyRow(await db.query(query)))[0]);
  assert.equal(await pending(), 0);

  const accounts = accountStore(parsePlanTable(builtInPlans));
  const { id: account } = await accounts.create(db, { name: 'a', plan: 'pro' });
  const insert = (columns: string, values: string) =>
    db.query(
      `insert into transcription (id, account_id, filename, source, options, ${columns})
       values ($1, $2, 'a.mp3', '{"kind":"url","url":"https://example.com/a"}', '{}', ${values})`,
      [randomUUID(), account],
    );
  await insert('duration_seconds, chunks_total, chunks_left', '3600, 10, 4');
  assert.equal(await pending(), 1440, 'four of ten chunks of an hour');
  await insert('stage', `'queued'`);
  assert.equal(await pending(), 1440 + 600, 'an unknown length counts as ten minutes');
  await insert('status, duration_seconds, finished_at, text', `'completed', 60, now(), ''`);
  assert.equal(await pending(), 1440 + 60, 'or as long as the last ones were');
});
