/** What agents are given of long transcripts and of jobs that take long, on a real database. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallToolResult, ServerContext } from '@modelcontextprotocol/server';
import type { Agent } from '../../src/mcp/agent.ts';
import { waitedResult } from '../../src/mcp/finished-job.ts';
import { JobWaits, waitMs } from '../../src/mcp/job-waits.ts';
import { transcriptFormats } from '../../src/mcp/transcript-answer.ts';
import type { Segment } from '../../src/transcript/segment.ts';
import { JobFeeds } from '../../src/transcription/job-feeds.ts';
import { eventually } from '../support/eventually.ts';
import { type JobWorld, openJobWorld } from '../support/job-world.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { principalOfId } from '../support/principal.ts';

const silentNotifications = { hear: () => {} };

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
        const result: CallToolResult = await waitedResult({ db: world.db, waits }, agentOf(accountId), id, {
          context: contextOf(),
          page,
        });
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
  const waiting = waitedResult({ db: world.db, waits }, agentOf(accountId), id, {
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
  assert.equal((await waiting)?.kind, 'going-on');
});
