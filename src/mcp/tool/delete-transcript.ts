import { z } from 'zod';
import { ApiError } from '../../contract/errors.ts';
import { deleteTranscription } from '../../erasure/delete-transcription.ts';
import type { Agent, AgentDeps } from '../agent.ts';
import { isJobId, jobId } from '../job-id.ts';
import { type Tool, tool } from '../tool.ts';

const input = z.object({ id: jobId });
const output = z.object({ id: z.string(), deleted: z.literal(true) });

const description = `Delete a transcription of this account with its text, its media and everything else that belongs to it, for good. One that still runs is cancelled first. What it cost of the daily allowance is not given back.
Ask the user before you call it. Example: {"id": "7b9a3f6e-3f0a-4f2e-9a53-0d1b7b6f7c11"}`;

export function deleteTranscriptTool({ erasure }: AgentDeps, agent: Agent): Tool {
  return tool({
    name: 'delete_transcript',
    title: 'Delete a transcript',
    description,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    input,
    output,
    async run({ args: { id } }) {
      if (!isJobId(id)) throw new ApiError('not_found');
      await deleteTranscription(erasure, agent.principal, id);
      const answer: z.infer<typeof output> = { id, deleted: true };
      return {
        content: [{ type: 'text', text: `The transcription ${id} is deleted.` }],
        structuredContent: answer,
      };
    },
  });
}
