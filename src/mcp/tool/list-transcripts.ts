import { z } from 'zod';
import { transcriptionStore } from '../../transcription/transcription-store.ts';
import type { Agent, AgentDeps } from '../agent.ts';
import { recordingText } from '../recording-text.ts';
import { type Tool, tool } from '../tool.ts';
import { jobFields, jobOutput } from '../transcript-answer.ts';

const limitMax = 100;
const input = z.object({
  limit: z.int().min(1).max(limitMax).default(25).describe('How many of the newest'),
});
const output = z.object({ transcripts: z.array(jobOutput) });

const description = `The newest transcriptions of this account with id, name, status and length, newest first; without their text. Older ones are found with search_transcripts. Costs nothing of the allowance.
Example: {"limit": 10}`;

export function listTranscriptsTool({ db }: AgentDeps, agent: Agent): Tool {
  return tool({
    name: 'list_transcripts',
    title: 'List transcripts',
    description,
    annotations: { readOnlyHint: true, openWorldHint: false },
    input,
    output,
    async run({ args: { limit } }) {
      const jobs = await transcriptionStore.listNewest(db, agent.principal.account.id, limit);
      const transcripts = jobs.map((job) => jobFields(agent, job));
      const lines = transcripts.map(
        ({ id, filename, status, created_at, duration_seconds: seconds }) =>
          `${id} ${status} ${created_at} ${seconds === null ? '?' : Math.round(seconds)} s ${JSON.stringify(filename)}`,
      );
      const text =
        lines.length === 0
          ? 'This account has no transcriptions yet.'
          : recordingText('a list of recordings with the names that others gave them', lines.join('\n'));
      return { content: [{ type: 'text', text }], structuredContent: { transcripts } };
    },
  });
}
