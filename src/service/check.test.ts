import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../test/support/manual-clock.ts';
import { Check, problemsOf, type Verdict } from './check.ts';

function counted(clock: ManualClock, answers: (Verdict | Promise<Verdict>)[]) {
  let looks = 0;
  const check = new Check({
    name: 'thing',
    keepMs: 60_000,
    clock,
    look: async () => {
      const verdict = await answers[Math.min(looks++, answers.length - 1)];
      return { verdict: verdict ?? 'ok', text: String(looks) };
    },
  });
  return { check, looks: () => looks };
}

test('what is there is looked at once a minute, however many ask', async () => {
  const clock = new ManualClock();
  const { check, looks } = counted(clock, ['ok']);
  await Promise.all([check.finding(), check.finding()]);
  await check.finding();
  assert.equal(looks(), 1);
  await clock.advance(60_000);
  assert.deepEqual(await check.finding(), { name: 'thing', verdict: 'ok', text: '2' });
});

test('what is missing is looked at again a second later', async () => {
  const clock = new ManualClock();
  const { check, looks } = counted(clock, ['problem', 'ok']);
  assert.equal((await problemsOf([check])).length, 1);
  await clock.advance(1_000);
  assert.deepEqual(await problemsOf([check]), []);
  assert.equal(looks(), 2);
});

test('a look that hangs is a problem after some seconds, and is not started again while it hangs', async () => {
  const clock = new ManualClock();
  const hanging = Promise.withResolvers<Verdict>();
  const { check, looks } = counted(clock, [hanging.promise]);
  for (let time = 0; time < 3; time += 1) {
    const asked = check.finding();
    await clock.advance(8_000);
    assert.deepEqual(await asked, { name: 'thing', verdict: 'problem', text: 'no answer within 8 s.' });
    await clock.advance(1_000);
  }
  assert.equal(looks(), 1);
  hanging.resolve('ok');
  assert.equal((await check.finding()).verdict, 'ok');
});

test('a look that throws is a problem with its words', async () => {
  const look = () => Promise.reject(new Error('the disk is on fire'));
  const check = new Check({ name: 'disk', keepMs: 0, clock: new ManualClock(), look });
  assert.deepEqual(await check.finding(), { name: 'disk', verdict: 'problem', text: 'the disk is on fire.' });
});
