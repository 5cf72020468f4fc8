import { z } from 'zod';
import type { Agent, AgentDeps } from '../agent.ts';
import { waitedResult } from '../finished-job.ts';
import { jobId } from '../job-id.ts';
import { waitMs } from '../job-waits.ts';
import { playerUri } from '../player/player.ts';
import { type Tool, tool } from '../tool.ts';
import { transcriptFormats, transcriptOutput } from '../transcript-answer.ts';
import { maxCharsDefault, maxCharsLeast, maxCharsMost } from '../transcript-page.ts';

const input = z.object({
  id: jobId,
  format: z
    .enum(transcriptFormats)
    .default('segments')
    .describe('segments: lines with their times (best for quoting); text: paragraphs; srt, vtt: subtitles'),
  cursor: z.string().max(40).optional().describe('next_cursor of the answer before, with the same format'),
  max_chars: z
    .int()
    .min(maxCharsLeast)
    .max(maxCharsMost)
    .default(maxCharsDefault)
    .describe('Most characters of transcript in the answer'),
});

const description = `Read a transcript of this account, from the beginning or on from a cursor. Answers with at most max_chars characters, says how much was cut, and gives the cursor of the rest.
A transcription that still runs is waited for, up to ${waitMs / 1000} s; then the answer says how far it is. Costs nothing of the allowance.
Example: {"id": "7b9a3f6e-3f0a-4f2e-9a53-0d1b7b6f7c11", "format": "text", "max_chars": 4000}`;

export function getTranscriptTool(deps: AgentDeps, agent: Agent): Tool {
  return tool({
    name: 'get_transcript',
    title: 'Read a transcript',
    description,
    annotations: { readOnlyHint: true, openWorldHint: false },
    input,
    output: transcriptOutput,
    uiUri: playerUri,
    run: ({ args: { id, format, cursor, max_chars: maxChars }, context }) =>
      waitedResult(deps, agent, id, { context, page: { format, cursor, maxChars } }),
  });
}
