/** The same media with the same options: one job, however often and however fast it is asked for. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, test } from 'node:test';
import type { Principal } from '../../src/account/principal.ts';
import {
  type CreateTranscriptionRequest,
  createTranscription,
} from '../../src/transcription/admission/create-transcription.ts';
import { fail } from '../../src/transcription/end-job.ts';
import { ownFailures } from '../../src/transcription/failure.ts';
import { openJobWorld } from '../support/job-world.ts';
import { principalOfId } from '../support/principal.ts';

const world = await openJobWorld({ after });
await world.db.query('insert into worker (id) values (gen_random_uuid())');

const contentHash = createHash('sha256').update('the same recording').digest();

function create(principal: Principal, request: Partial<CreateTranscriptionRequest> = {}) {
  const deps = {
    ...world.deps,
    ...world.deps.admission,
    verifyUpload: () => assert.fail('no upload is used here'),
    useUpload: () => assert.fail('no upload is used here'),
    isAcceptableSourceUrl: () => true,
    labelOfUrl: () => 'a.mp3',
  };
  const source = { kind: 'url', url: 'https://example.com/a.mp3' } as const;
  return createTranscription(deps, principal, { source, speakerDiarization: false, contentHash, ...request });
}

async function account(): Promise<Principal> {
  return principalOfId(await world.account());
}

test('twenty at once, more than there are connections, are one job, which the allowance pays for once', async () => {
  const principal = await account();
  const made = await Promise.all(Array.from({ length: 20 }, () => create(principal)));
  assert.equal(new Set(made.map(({ id }) => id)).size, 1);
  assert.equal(made.filter(({ isEarlier }) => !isEarlier).length, 1);
  assert.equal(await world.used(principal.account.id), 1);
});

test('other options, other media and another account are jobs of their own', async () => {
  const principal = await account();
  const made = [
    await create(principal),
    await create(principal, { language: 'de' }),
    await create(principal, { task: 'translate' }),
    await create(principal, { speakerDiarization: true }),
    await create(principal, { contentHash: createHash('sha256').update('another').digest() }),
    await create(await account()),
    await create(principal, { contentHash: undefined }),
    await create(principal, { contentHash: undefined }),
  ];
  assert.equal(new Set(made.map(({ id }) => id)).size, made.length);
});

test('a completed job is given again for an hour, a failed one is tried anew', async () => {
  const principal = await account();
  const first = await create(principal);
  const complete = `update transcription set status = 'completed', text = '', segments = '[]', finished_at = now() - make_interval(mins => $2)
    where id = $1`;
  await world.db.query(complete, [first.id, 59]);
  assert.equal((await create(principal)).id, first.id);
  await world.db.query(complete, [first.id, 61]);
  const second = await create(principal);
  assert.notEqual(second.id, first.id);
  await fail(world.deps, second.id, ownFailures.recognizerFailed);
  const third = await create(principal);
  assert.notEqual(third.id, second.id);
  assert.equal((await create(principal)).id, third.id);
});
