import assert from 'node:assert/strict';
import { createSocket, type RemoteInfo } from 'node:dgram';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { resolveName } from '../../src/egress/name-resolver.ts';
import { onCleanup } from '../support/cleanup.ts';
import { temporaryDataDir } from '../support/service.ts';

const types = { 1: 'A', 28: 'AAAA' } as const;
const records: Record<string, string[]> = {
  'A both.example': ['93.184.216.34', '93.184.216.35'],
  'AAAA both.example': ['2606:4700:0:0:0:0:0:1'],
  'A four.example': ['93.184.216.36'],
  'A private.example': ['93.184.216.37', '10.0.0.1'],
};

/** A name server on loopback: it knows the records above, and never answers for names below silent.example. */
const server = createSocket('udp4');
server.on('message', (query, from: RemoteInfo) => {
  const { name, type, end } = questionOf(query);
  if (name.endsWith('.silent.example')) return;
  const known = Object.keys(records).some((key) => key.endsWith(` ${name}`));
  const answers = (records[`${type} ${name}`] ?? []).map(recordOf);
  const header = Buffer.from(query.subarray(0, 12));
  header.writeUInt16BE(known ? 0x8180 : 0x8183, 2); // An answer; the name is known, or not.
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(answers.length, 6);
  header.writeUInt32BE(0, 8);
  server.send(Buffer.concat([header, query.subarray(12, end), ...answers]), from.port, from.address);
});
server.bind(0, '127.0.0.1');
await once(server, 'listening');
onCleanup({ after }, async () => {
  server.close();
});
const servers = [`127.0.0.1:${server.address().port}`];

function questionOf(query: Buffer): { name: string; type: string; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.subarray(at + 1, at + 1 + length).toString('latin1'));
    at += 1 + length;
  }
  const type = query.readUInt16BE(at + 1);
  return { name: labels.join('.').toLowerCase(), type: types[type as 1] ?? String(type), end: at + 5 };
}

function recordOf(address: string): Buffer {
  const isIpv6 = address.includes(':');
  const data = isIpv6
    ? Buffer.from(
        address
          .split(':')
          .flatMap((part) => [Number.parseInt(part, 16) >> 8, Number.parseInt(part, 16) & 255]),
      )
    : Buffer.from(address.split('.').map(Number));
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc00c, 0); // The name of the question.
  head.writeUInt16BE(isIpv6 ? 28 : 1, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt32BE(60, 6);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}

test('names whose servers never answer do not hold up the lookups of others', async () => {
  let settled = 0;
  const silent = Array.from({ length: 50 }, (_, i) =>
    resolveName(`${i}.silent.example`, { servers }).catch(() => {
      settled += 1;
    }),
  );
  for (let i = 0; i < 20; i += 1)
    assert.deepEqual(await resolveName('four.example', { servers }), ['93.184.216.36']);
  assert.equal(settled, 0, 'they were still waiting');
  await Promise.all(silent);
  assert.equal(settled, 50, 'and each of them ends');
});

test('all addresses of both families are given, so that one that is not public refuses the name', async () => {
  assert.deepEqual(await resolveName('both.example', { servers }), [
    '93.184.216.34',
    '2606:4700::1',
    '93.184.216.35',
  ]);
  assert.deepEqual(await resolveName('private.example', { servers }), ['93.184.216.37', '10.0.0.1']);
});

test('an unknown name is an error', async () => {
  await assert.rejects(resolveName('unknown.example', { servers }), { code: 'ENOTFOUND' });
});

test('what the hosts file says comes first, whatever the name servers say', async (t) => {
  const hostsFile = join(await temporaryDataDir(t), 'hosts');
  await writeFile(
    hostsFile,
    '# a comment\n127.0.0.1 localhost\n10.1.2.3\tother Four.Example # four.example\n',
  );
  assert.deepEqual(await resolveName('four.example', { servers, hostsFile }), ['10.1.2.3']);
  assert.deepEqual((await resolveName('both.example', { servers, hostsFile })).length, 3);
});
