/** What foreign data can reach: addresses from pages and from inside the sandbox, files and processes of the service. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEgress } from '../../src/egress/egress.ts';
import { startEgressProxy } from '../../src/egress/proxy.ts';
import { nothingAllowed } from '../../src/egress/url.ts';
import { systemClock as clock } from '../../src/platform/clock.ts';
import type { Sandbox } from '../../src/platform/process/sandbox.ts';
import { type AttackResult, fileAttack, networkAttack } from '../../test/fixtures/confined-attacks.ts';
import {
  attackWithoutSandbox,
  fragmentAttacks,
  infoJsonAttack,
  pageAttackStage,
} from '../../test/fixtures/page-attacks.ts';
import { sandbox, withoutSandbox } from '../../test/support/sandbox.ts';
import type { BenchmarkRow } from '../run.ts';

export async function guardAttacks(): Promise<BenchmarkRow[]> {
  if (!sandbox) throw new Error(`the attacks need a sandbox: ${withoutSandbox}`);
  return [...(await pageRows(sandbox)), ...(await networkRows(sandbox)), ...(await fileRows(sandbox))];
}

async function pageRows(place: Sandbox): Promise<BenchmarkRow[]> {
  await using stage = await pageAttackStage(place);
  const { version } = await stage.program.version();
  const control = await attackWithoutSandbox(stage);
  const counts = await fragmentAttacks(stage);
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const reached = Object.entries(counts).filter(([, count]) => count > 0);
  return [
    { figure: `the fragment attack without a sandbox, yt-dlp ${version}`, value: `${control} reach` },
    {
      figure: `the fragment attack: direct, by redirect, by embedded URL, by feed, given to the tool; with the proxy's port guessed (${Object.keys(counts).length} ways)`,
      value:
        reached.length > 0
          ? reached.map(([name, count]) => `${name}: ${count}`).join(', ')
          : `${total} reach`,
      bar: '0 reach',
      passed: total === 0,
    },
    noneReached('headers in the info JSON, given to the tool', await infoJsonAttack(stage)),
  ];
}

async function networkRows(place: Sandbox): Promise<BenchmarkRow[]> {
  const folder = await mkdtemp(join(tmpdir(), 'longhand-bench-proxy-'));
  try {
    const egress = createEgress({ allow: nothingAllowed, clock });
    await using proxy = await startEgressProxy({ egress, bytesMax: 1_000_000, socketFolder: folder });
    const where = 'every port of loopback, link-local, private and public ranges, Unix sockets, from inside';
    return [
      none(`${where} as ffmpeg`, 'reach', await networkAttack(place)),
      none(`${where} as yt-dlp`, 'reach', await networkAttack(place, proxy.socket)),
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function fileRows(place: Sandbox): Promise<BenchmarkRow[]> {
  const what = 'data directory, secrets, /proc of the parent, writing outside, becoming root';
  return [
    none(`${what}, as ffmpeg`, 'succeed', await fileAttack(place)),
    none(`${what}, as yt-dlp`, 'succeed', await fileAttack(place, { writable: true })),
  ];
}

function none(figure: string, word: string, { attempts, succeeded }: AttackResult): BenchmarkRow {
  const value = succeeded.length > 0 ? succeeded.join(', ') : `0 of ${attempts} ${word}`;
  return { figure, value, bar: `0 ${word}`, passed: succeeded.length === 0 };
}

function noneReached(figure: string, count: number): BenchmarkRow {
  return { figure, value: `${count} reach`, bar: '0 reach', passed: count === 0 };
}
