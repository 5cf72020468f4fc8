import { z } from 'zod';
import { waitMs } from '../job-waits.ts';
import { playerUri } from '../player/player.ts';
import type { LocalTool } from '../stdio-bridge.ts';
import { tool } from '../tool.ts';
import { transcriptOutput } from '../transcript-answer.ts';
import { transcribeOptions } from './transcribe.ts';

const input = z.object({
  path: z
    .string()
    .min(1)
    .max(4_096)
    .describe(
      'Path of an audio or video file on this machine; relative to where the agent’s server was started',
    ),
  ...transcribeOptions,
});

const description = `Transcribe an audio or video file of this machine: sends it to the configured Longhand and answers as transcribe does. Waits up to ${waitMs / 1000} s after the file is sent; when it takes longer, the answer names the id to give to get_transcript, and nothing is lost.
Each call starts one job and counts one against the account's daily allowance.
Example: {"path": "/home/ana/interview.mp3", "speaker_diarization": true}`;

/** Sends a file and gives the reference to it; throws an error with a `code` and a sentence. */
export type SendFile = (
  path: string,
  options: { speakerDiarization: boolean; signal: AbortSignal },
) => Promise<object>;

/** Over stdio only: a server on another machine has no files of this one. */
export function transcribeFileTool(sendFile: SendFile): LocalTool {
  const { listed } = tool({
    name: 'transcribe_file',
    title: 'Transcribe a local file',
    description,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
    input,
    output: transcriptOutput,
    uiUri: playerUri,
    run: () => Promise.reject(new Error('a local tool is translated, never called')),
  });
  return {
    listed,
    async translate(args, signal) {
      const parsed = input.safeParse(args);
      if (!parsed.success) {
        const [issue] = parsed.error.issues;
        throw new Error(`The arguments do not fit the tool: ${issue?.path.join('.')}: ${issue?.message}.`);
      }
      const { path, ...options } = parsed.data;
      const { speaker_diarization: speakerDiarization } = options;
      const upload = await sendFile(path, { speakerDiarization, signal });
      return { name: 'transcribe', arguments: { upload, ...options } };
    },
  };
}
