import { z } from 'zod';
import { ApiError } from '../../contract/errors.ts';
import { keywordsOf, keywordsSentence } from '../../contract/keywords.ts';
import { chineseScriptOf, languageCode } from '../../contract/language.ts';
import type { CreateTranscriptionCommand } from '../../contract/transcription.ts';
import { createTranscription } from '../../transcription/admission/create-transcription.ts';
import { completeUpload } from '../../upload/complete-upload.ts';
import type { Agent, AgentDeps } from '../agent.ts';
import { waitedResult } from '../finished-job.ts';
import { taskOf } from '../job-tasks.ts';
import { waitMs } from '../job-waits.ts';
import { playerUri } from '../player/player.ts';
import { knowsTasks } from '../task.ts';
import { type Tool, tool } from '../tool.ts';
import { firstPage, transcriptOutput } from '../transcript-answer.ts';

export const transcribeOptions = {
  speaker_diarization: z
    .boolean()
    .optional()
    .describe('Tell speakers apart; only where the plan allows it. Default false'),
  language: z
    .string()
    .regex(/^[a-z]{2,3}(-[A-Za-z]{2,4}){0,2}$/)
    .refine((code) => languageCode(code) !== undefined, 'must be the code of a language that Whisper knows')
    .optional()
    .describe(
      'Language that is spoken, such as en or de, or zh-TW for Traditional Chinese; found out when left away',
    ),
  keywords: z
    .array(z.string())
    .refine((terms) => keywordsOf(terms) !== undefined, `must be ${keywordsSentence}`)
    .optional()
    .describe('Names and terms that are likely to be spoken, spelled as they are to be written'),
};

const uploadArgument = z.object({
  filename: z.string().min(1).max(240),
  key: z.string().min(1).max(1024).describe('From prepare_upload'),
  storage: z.enum(['s3', 'local']).describe('From prepare_upload'),
  size: z.int().positive().describe('Exact bytes'),
  content_type: z.string().max(255).nullish(),
  upload_id: z.string().min(1).max(1024).optional().describe('Multipart only: from prepare_upload'),
  parts: z
    .array(z.object({ part_number: z.int().positive(), etag: z.string().min(1).max(256) }))
    .max(10_000)
    .optional()
    .describe('Multipart only: every part with the ETag header that its PUT returned'),
});

const input = z.object({
  source_url: z
    .string()
    .max(8_192)
    .optional()
    .meta({
      description: 'Public http or https link to a recording or to a page with one video',
      examples: ['https://example.com/interview.mp3'],
    }),
  upload: uploadArgument.optional().describe('Instead of source_url: a file sent as prepare_upload says'),
  ...transcribeOptions,
});

const description = `Transcribe a recording: give a public link (source_url), or a file sent with prepare_upload (upload); exactly one of the two.
Answers with the transcript: lines that begin with their time in seconds, the first part of it when it is long. Waits up to ${waitMs / 1000} s; when the recording takes longer, the answer names the id to give to get_transcript, and nothing is lost.
Each call starts one job and counts one against the account's daily allowance; do not call it again for a job that still runs.
Example: {"source_url": "https://example.com/interview.mp3", "speaker_diarization": true}`;

export function transcribeTool(deps: AgentDeps, agent: Agent): Tool {
  return tool({
    name: 'transcribe',
    title: 'Transcribe a recording',
    description,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
    input,
    output: transcriptOutput,
    uiUri: playerUri,
    async run({ args, context }) {
      await deps.limiter.admit(agent.principal.account.id, 'create');
      const command = await commandOf(deps, agent, args);
      const language = args.language && languageCode(args.language);
      const chineseScript = args.language ? chineseScriptOf(args.language) : undefined;
      const keywords = args.keywords && keywordsOf(args.keywords);
      const job = await createTranscription(deps.transcriptions, agent.principal, {
        ...command,
        language,
        chineseScript,
        keywords,
      });
      if (knowsTasks(context)) return taskOf(job);
      return await waitedResult(deps, agent, job.id, { context, page: firstPage });
    },
  });
}

async function commandOf(
  deps: AgentDeps,
  agent: Agent,
  { source_url: url, upload, speaker_diarization: speakerDiarization = false }: z.output<typeof input>,
): Promise<CreateTranscriptionCommand> {
  if ((url === undefined) === (upload === undefined)) throw new ApiError('invalid_source');
  if (url !== undefined) return { source: { kind: 'url', url }, speakerDiarization };
  if (!upload) throw new ApiError('invalid_source');
  const { filename, key, storage, size: sizeBytes, content_type: contentType = null } = upload;
  const { upload_id: uploadId, parts } = upload;
  if (uploadId !== undefined && parts) {
    const numbered = parts.map(({ part_number: partNumber, etag }) => ({ partNumber, etag }));
    await completeUpload(deps.uploads, agent.principal, { key, storage, uploadId, parts: numbered });
  }
  return { source: { kind: 'upload', filename, key, storage, sizeBytes, contentType }, speakerDiarization };
}
