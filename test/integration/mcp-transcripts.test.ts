/** What agents are given of long transcripts and of jobs that take long, on a real database. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallToolResult, ServerContext } from '@modelcontextprotocol/server';
import type { Agent } from '../../src/mcp/agent.ts';
import { waitedResult } from '../../src/mcp/finished-job.ts';
import { JobWaits, progressEveryMs, waitMs } from '../../src/mcp/job-waits.ts';
import { type SubtitleFormat, SubtitleUnits } from '../../src/mcp/subtitle-units.ts';
import { transcriptFormats } from '../../src/mcp/transcript-answer.ts';
import type { Segment } from '../../src/transcript/segment.ts';
import { JobFeeds } from '../../src/transcription/feed/job-feeds.ts';
import { transcriptionStore } from '../../src/transcription/transcription-store.ts';
import { eventually } from '../support/eventually.ts';
import { type JobWorld, openJobWorld } from '../support/job-world.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { principalOfId } from '../support/principal.ts';

const silentNotifications = { hear: () => {} };
const subtitles = new SubtitleUnits();

function agentOf(accountId: string): Agent {
  return {
    principal: principalOfId(accountId),
    serviceUrl: 'https://longhand.example',
    webUrl: 'https://longhand.example',
  };
}

function contextOf(told: unknown[] = []): ServerContext {
  const mcpReq = {
    id: 1,
    method: 'tools/call',
    signal: new AbortController().signal,
    _meta: { progressToken: 'p' },
    notify: async (notification: unknown) => void told.push(notification),
  };
  return { mcpReq } as unknown as ServerContext;
}

async function hourOfSpeech(
  world: JobWorld,
  accountId: string,
): Promise<{ id: string; segments: Segment[] }> {
  const id = await world.job(accountId);
  const segments: Segment[] = Array.from({ length: 600 }, (_, index) => ({
    start: index * 6,
    end: index * 6 + 5.5,
    speaker: index % 3,
    text: `Sentence ${index} of a long meeting in which everybody says about a hundred characters each time they speak.`,
  }));
  await world.db.query(
    `update transcription set status = 'completed', finished_at = now(), duration_seconds = 3600, text = $2, segments = $3
     where id = $1`,
    [id, segments.map(({ text }) => text).join('\n\n'), JSON.stringify(segments)],
  );
  return { id, segments };
}

interface Answer {
  text: string | null;
  segments: Segment[] | null;
  returned_chars: number;
  total_chars: number;
  next_cursor: string | null;
}

test('an hour of speech never comes in more than the stated limit, and all of it by the cursor', async (t) => {
  const world = await openJobWorld(t);
  const accountId = await world.account();
  const { id, segments } = await hourOfSpeech(world, accountId);
  const waits = new JobWaits({
    feeds: new JobFeeds({ db: world.db, clock: new ManualClock() }, silentNotifications),
    clock: new ManualClock(),
  });
  for (const format of transcriptFormats) {
    for (const maxChars of [format === 'segments' ? 500 : 10_000, 20_000, 100_000]) {
      const answers: Answer[] = [];
      let cursor: string | undefined;
      do {
        const page = { format, cursor, maxChars };
        const result: CallToolResult = await waitedResult(
          { db: world.db, waits, subtitles },
          agentOf(accountId),
          id,
          {
            context: contextOf(),
            page,
          },
        );
        const answer = result.structuredContent as unknown as Answer;
        const [first] = result.content;
        const spoken = first?.type === 'text' ? first.text : '';
        assert.ok(answer.returned_chars <= maxChars, `${format}: ${answer.returned_chars}`);
        // The mark, the head and the sentence about the rest are short; they belong to no page.
        assert.ok(spoken.length <= maxChars + 1_200, `${format}: ${spoken.length}`);
        assert.match(
          spoken,
          answer.next_cursor === null ? /end of the transcript|whole transcript/ : /Cut here: \d+ of \d+/,
        );
        answers.push(answer);
        cursor = answer.next_cursor ?? undefined;
      } while (cursor !== undefined);
      const total = answers.reduce((sum, { returned_chars }) => sum + returned_chars, 0);
      assert.equal(total, answers[0]?.total_chars, `${format} in pages of ${maxChars}`);
      if (format === 'segments' && maxChars > 500) {
        const starts = answers.flatMap((answer) => answer.segments?.map(({ start }) => start) ?? []);
        assert.deepEqual(
          starts,
          segments.map(({ start }) => start),
        );
      }
    }
  }
});

test('a wait for a job is bounded: then the answer says how far it is and how to fetch it', async (t) => {
  const world = await openJobWorld(t);
  const accountId = await world.account();
  const id = await world.job(accountId);
  await world.decoded(id, 4);
  const clock = new ManualClock();
  const waits = new JobWaits({ feeds: new JobFeeds({ db: world.db, clock }, silentNotifications), clock });
  const told: unknown[] = [];
  const page = { format: 'segments', cursor: undefined, maxChars: 20_000 } as const;
  const waiting = waitedResult({ db: world.db, waits, subtitles }, agentOf(accountId), id, {
    context: contextOf(told),
    page,
  });
  await eventually(() => told.length > 0 || undefined, 'the first progress');
  assert.match(JSON.stringify(told[0]), /recognising/);
  await clock.advance(waitMs);
  const result = await waiting;
  const [first] = result.content;
  assert.match(
    first?.type === 'text' ? first.text : '',
    /Nothing is lost: it goes on\. Fetch it with get_transcript/,
  );
  assert.equal((result.structuredContent as { status: string }).status, 'processing');
});

test('a service that stops ends every wait at once', async (t) => {
  const world = await openJobWorld(t);
  const accountId = await world.account();
  const id = await world.job(accountId);
  const clock = new ManualClock();
  const waits = new JobWaits({ feeds: new JobFeeds({ db: world.db, clock }, silentNotifications), clock });
  const waiting = waits.untilEnded({ accountId, id }, contextOf());
  waits.close();
  assert.equal((await waiting).kind, 'going-on');
});

test('subtitles are rendered once for all their pages, and anew when the text was edited', async (t) => {
  const world = await openJobWorld(t);
  const accountId = await world.account();
  const { id } = await hourOfSpeech(world, accountId);
  const rendered = new SubtitleUnits(200_000);
  const units = async (format: SubtitleFormat) => {
    const job = await transcriptionStore.findOwned(world.db, accountId, id);
    assert.ok(job?.status === 'completed');
    return await rendered.of(world.db, job, format);
  };
  const first = await units('srt');
  assert.equal(await units('srt'), first);
  await world.db.query(
    `update transcription set published_at = now(), published_text = 'Edited.', published_segments = $2 where id = $1`,
    [id, JSON.stringify([{ start: 0, end: 1, text: 'Edited.' }])],
  );
  assert.match((await units('srt')).join(''), /^1\n00:00:00,000 --> .*\nEdited\.\n$/);
  await world.db.query(
    'update transcription set published_at = null, published_text = null, published_segments = null where id = $1',
    [id],
  );
  assert.equal(await units('srt'), first);
  await units('vtt');
  assert.notEqual(await units('srt'), first, 'what is kept is bounded: the longest unused is dropped');
});

test('a text that was edited is read anew, also while somebody still reads of the old end', async (t) => {
  const world = await openJobWorld(t);
  const accountId = await world.account();
  const { id } = await hourOfSpeech(world, accountId);
  const clock = new ManualClock();
  const feeds = new JobFeeds({ db: world.db, clock }, silentNotifications);
  const slow = feeds.followOwned({ accountId, id, sequence: 1_000 }, new AbortController().signal);
  assert.equal((await slow.next()).value?.kind, 'ended');
  await world.db.query(
    `update transcription set published_at = now(), published_text = 'Edited.', published_segments = $2 where id = $1`,
    [id, JSON.stringify([{ start: 0, end: 1, text: 'Edited.' }])],
  );
  const { structuredContent } = await waitedResult(
    { db: world.db, waits: new JobWaits({ feeds, clock }), subtitles },
    agentOf(accountId),
    id,
    { context: contextOf(), page: { format: 'text', cursor: undefined, maxChars: 20_000 } },
  );
  assert.equal((structuredContent as unknown as Answer).text, 'Edited.');
  await slow.return(undefined);
});

test('one who waits is told how far the job is every few seconds, not at every step of it', async (t) => {
  const world = await openJobWorld(t);
  const accountId = await world.account();
  const id = await world.job(accountId);
  await world.decoded(id, 20);
  const clock = new ManualClock();
  let announce: (id: string) => void = () => {};
  const feeds = new JobFeeds(
    { db: world.db, clock },
    {
      hear: (_channel, listener) => {
        announce = listener;
      },
    },
  );
  const waits = new JobWaits({ feeds, clock });
  const told: unknown[] = [];
  const waiting = waits.untilEnded({ accountId, id }, contextOf(told));
  await eventually(() => told.length > 0 || undefined, 'the first progress');
  // A second reader of the same feed sees every step.
  const left = new AbortController();
  let done: number | null = null;
  const reading = (async () => {
    for await (const event of feeds.followOwned({ accountId, id, sequence: 0 }, left.signal))
      if (event.kind === 'progress') done = event.progress.audioSecondsDone;
  })();
  for (let step = 1; step <= 10; step += 1) {
    const before = done;
    await world.db.query('update transcription set chunks_left = chunks_left - 1 where id = $1', [id]);
    announce(id);
    await clock.advance(progressEveryMs / 5);
    await eventually(() => (done !== null && done !== before) || undefined, `step ${step}`);
  }
  left.abort();
  waits.close();
  await Promise.all([waiting, reading]);
  assert.ok(told.length === 2 || told.length === 3, `told ${told.length} times`);
});
