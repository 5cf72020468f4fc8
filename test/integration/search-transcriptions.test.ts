/** Full-text search: what was said is found with its time, by its owner alone, whatever is asked. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '../../src/contract/errors.ts';
import type { Segment } from '../../src/transcript/segment.ts';
import {
  type SearchCommand,
  searchTranscriptions,
} from '../../src/transcription/library/search-transcriptions.ts';
import { type JobWorld, openJobWorld } from '../support/job-world.ts';
import { principalOfId } from '../support/principal.ts';

/** A completed job in which these things were said, ten seconds each. */
async function transcribed(
  world: JobWorld,
  accountId: string,
  said: readonly string[],
  filename = 'a.mp3',
): Promise<string> {
  const id = await world.job(accountId);
  const segments: Segment[] = said.map((text, index) => ({ start: index * 10, end: index * 10 + 9, text }));
  await world.db.query(
    `update transcription set status = 'completed', finished_at = now(), filename = $2, text = $3, segments = $4
     where id = $1`,
    [id, filename, said.join(' '), JSON.stringify(segments)],
  );
  return id;
}

function search(world: JobWorld, accountId: string, command: SearchCommand) {
  return searchTranscriptions({ db: world.db }, principalOfId(accountId), command);
}

async function found(world: JobWorld, accountId: string, query: string): Promise<string[]> {
  return (await search(world, accountId, { query })).hits.map(({ transcriptionId }) => transcriptionId);
}

test('a hit tells when it was said, with the words around it', async (t) => {
  const world = await openJobWorld(t);
  const account = await world.account();
  const id = await transcribed(world, account, [
    ...Array.from({ length: 30 }, (_, index) => `Sentence ${index} is about the weather.`),
    'We decided on the budget for next year.',
    'Then we went home.',
  ]);
  const { hits, nextCursor } = await search(world, account, { query: 'Budget decided' });
  assert.equal(nextCursor, null);
  assert.deepEqual(
    hits.map(({ transcriptionId, said }) => ({ transcriptionId, start: said?.start, end: said?.end })),
    [{ transcriptionId: id, start: 300, end: 309 }],
  );
  assert.match(hits[0]?.said?.snippet ?? '', /decided on the budget.*went home/);
});

test('only the account’s own transcripts are found', async (t) => {
  const world = await openJobWorld(t);
  const [mine, theirs] = [await world.account(), await world.account()];
  const id = await transcribed(world, mine, ['the secret recipe']);
  assert.deepEqual(await found(world, mine, 'recipe'), [id]);
  assert.deepEqual(await found(world, theirs, 'recipe'), []);
});

test('names of recordings, accents, case, beginnings of words, phrases and Chinese are found', async (t) => {
  const world = await openJobWorld(t);
  const account = await world.account();
  const named = await transcribed(world, account, ['Hello.'], 'Über_Quartalszahlen-2026.mp3');
  const french = await transcribed(world, account, ['Ils ont mangé au café “Déjà”.']);
  const chinese = await transcribed(world, account, ['我们今天开会讨论预算。']);
  assert.deepEqual(await found(world, account, 'uber quartalszahlen'), [named]);
  assert.deepEqual(await found(world, account, 'CAFE deja'), [french]);
  assert.deepEqual(await found(world, account, '"au café"'), [french]);
  assert.deepEqual(await found(world, account, '"café au"'), []);
  assert.deepEqual(await found(world, account, 'mang'), [french]);
  assert.deepEqual(await found(world, account, '讨论预算'), [chinese]);
  assert.deepEqual(await found(world, account, '预讨'), []);
});

test('pages follow each other, newest transcript first, without a hit twice or missing', async (t) => {
  const world = await openJobWorld(t);
  const account = await world.account();
  const ids: string[] = [];
  for (let i = 0; i < 3; i++)
    ids.unshift(
      await transcribed(
        world,
        account,
        Array.from({ length: 24 }, () => 'again'),
      ),
    );
  const seen: { id: string; start: number | undefined }[] = [];
  let cursor: string | undefined;
  do {
    const page = await search(world, account, { query: 'again', limit: 2, cursor });
    seen.push(...page.hits.map(({ transcriptionId: id, said }) => ({ id, start: said?.start })));
    cursor = page.nextCursor ?? undefined;
    assert.ok(seen.length <= 9, 'the pages have an end');
  } while (cursor !== undefined);
  assert.deepEqual(
    seen,
    ids.flatMap((id) => [0, 80, 160].map((start) => ({ id, start }))),
  );
});

test('what is changed or deleted is found as it is now', async (t) => {
  const world = await openJobWorld(t);
  const account = await world.account();
  const id = await transcribed(world, account, ['mumbling']);
  await world.db.query('update transcription set segments = $2, filename = $3 where id = $1', [
    id,
    JSON.stringify([{ start: 3, end: 4, text: 'corrected' }]),
    'renamed.mp3',
  ]);
  assert.deepEqual(await found(world, account, 'mumbling'), []);
  assert.deepEqual(await found(world, account, 'corrected'), [id]);
  assert.deepEqual(await found(world, account, 'renamed'), [id]);
  await world.db.query('delete from transcription where id = $1', [id]);
  assert.deepEqual(await found(world, account, 'corrected'), []);
});

test('a published edition and the name that the owner gave are found instead of what the machine wrote', async (t) => {
  const world = await openJobWorld(t);
  const account = await world.account();
  const id = await transcribed(world, account, ['the whether report']);
  await world.db.query(
    `update transcription set published_at = now(), published_text = $2, published_segments = $3, display_name = $4
     where id = $1`,
    [
      id,
      'the weather report',
      JSON.stringify([{ start: 1, end: 2, text: 'the weather report' }]),
      'Monday briefing',
    ],
  );
  assert.deepEqual(await found(world, account, 'whether'), []);
  assert.deepEqual(await found(world, account, 'weather'), [id]);
  assert.deepEqual(await found(world, account, 'monday'), [id]);
  await world.db.query(
    'update transcription set published_at = null, published_text = null, published_segments = null where id = $1',
    [id],
  );
  assert.deepEqual(await found(world, account, 'whether'), [id], 'withdrawn, it is the machine’s again');
});

test('hostile queries find nothing and break nothing; wrong ones are refused with a sentence', async (t) => {
  const world = await openJobWorld(t);
  const account = await world.account();
  await transcribed(world, account, ['nothing to see']);
  const hostile = ["a' | 'nothing", "zzz:*& !('", "'; drop table account; --", 'x\u0000y', '😀 zzz', 'ﬁ ½ ²'];
  for (const query of hostile) assert.deepEqual(await found(world, account, query), [], query);
  const refused: SearchCommand[] = [
    { query: '' },
    { query: '?!' },
    { query: 'x'.repeat(401) },
    { query: 'x', limit: 0 },
    { query: 'x', limit: 51 },
    { query: 'x', cursor: "1.2'" },
    { query: 'x', cursor: '' },
  ];
  for (const command of refused)
    await assert.rejects(search(world, account, command), (error: unknown) => {
      return error instanceof ApiError && error.code === 'invalid_request' && error.message.endsWith('.');
    });
});

test('ten hours of speech are searchable to their last word', async (t) => {
  const world = await openJobWorld(t);
  const account = await world.account();
  const said = Array.from(
    { length: 6000 },
    (_, index) => `These are ${index} ordinary words about a long day.`,
  );
  const id = await transcribed(world, account, [...said, 'the very last xylophone']);
  const { hits } = await search(world, account, { query: '"last xylophone"' });
  assert.deepEqual(
    hits.map(({ transcriptionId, said: at }) => ({ transcriptionId, start: at?.start })),
    [{ transcriptionId: id, start: 60_000 }],
  );
});
