/** A seeded script of faults: the same seed does the same things in the same order. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../../test/support/random.ts';
import type { ChaosFleet, Member } from './fleet.ts';

type Fault = (fleet: ChaosFleet, random: Random) => Promise<string>;

const seconds = (random: Random, most: number) => random.integer(1, most) * 1000;
const anyone = (fleet: ChaosFleet, random: Random): Member => random.pick(fleet.members);

const faults: Record<string, Fault> = {
  async kill(fleet, random) {
    const member = anyone(fleet, random);
    await fleet.stop(member, 'SIGKILL');
    await delay(seconds(random, 3));
    await fleet.start(member);
    return member.name;
  },
  async redeploy(fleet, random) {
    const member = anyone(fleet, random);
    await fleet.stop(member, 'SIGTERM');
    await fleet.start(member);
    return member.name;
  },
  /** Long enough to lose its claims, now and then. */
  async stopAndContinue(fleet, random) {
    const member = anyone(fleet, random);
    fleet.signalAll(member, 'SIGSTOP');
    await delay(seconds(random, 20));
    fleet.signalAll(member, 'SIGCONT');
    return member.name;
  },
  async cutFromDatabase(fleet, random) {
    const member = anyone(fleet, random);
    member.database.cut();
    await delay(seconds(random, 15));
    member.database.restore();
    return member.name;
  },
  async cutFromStorage(fleet, random) {
    const member = anyone(fleet, random);
    member.storage.cut();
    await delay(seconds(random, 15));
    member.storage.restore();
    return member.name;
  },
  async fillDisk(fleet, random) {
    const member = random.pick(fleet.members.filter(({ role }) => role === 'worker'));
    const empty = await fleet.fillDisk(member, random.pick(['half', 'nothing'] as const));
    await delay(seconds(random, 10));
    await empty?.();
    return empty ? member.name : notPossible;
  },
  /** By less than what signatures of URLs and webhooks tolerate; and back, which is another step. */
  async stepClock(fleet, random) {
    const member = anyone(fleet, random);
    const isStepped = await fleet.stepClock(member, random.integer(30, 240) * random.pick([-1, 1]));
    await delay(seconds(random, 10));
    await fleet.stepClock(member, 0);
    return isStepped ? member.name : notPossible;
  },
  async freezeDatabase(fleet, random) {
    const thaw = await fleet.freezeDatabase();
    await delay(seconds(random, 8));
    thaw();
    return 'database';
  },
  async restartDatabase(fleet, random) {
    await fleet.restartDatabase(seconds(random, 4));
    return 'database';
  },
};

/** What this machine lacks is not counted; the script stays the same. */
const notPossible = 'not possible here';

/** The database is everybody's: its faults come less often than those of one process. */
const draw = [
  ...['kill', 'kill', 'kill', 'redeploy', 'redeploy', 'stopAndContinue', 'stopAndContinue'],
  ...[
    'cutFromDatabase',
    'cutFromDatabase',
    'cutFromStorage',
    'cutFromStorage',
    'fillDisk',
    'stepClock',
    'freezeDatabase',
    'restartDatabase',
  ],
];

export async function faultsUntil(
  fleet: ChaosFleet,
  random: Random,
  { endsAtMs, betweenMs }: { endsAtMs: number; betweenMs: number },
): Promise<string[]> {
  const done: string[] = [];
  const startedAtMs = Date.now();
  while (Date.now() < endsAtMs) {
    const name = random.pick(draw);
    const atSeconds = Math.round((Date.now() - startedAtMs) / 1000);
    const whom = await faults[name]?.(fleet, random);
    console.log(`${atSeconds} s  ${name}: ${whom}`);
    if (whom !== notPossible) done.push(`${name}: ${whom}`);
    // A process that could not start while the database was away is started again, as a supervisor would.
    for (const member of fleet.members) if (!member.process) await fleet.start(member);
    await delay(random.integer(0, betweenMs));
  }
  return done;
}
