import { z } from 'zod';
import { keywordsOf, keywordsSentence } from '../../contract/keywords.ts';
import { chineseScriptOf, languageCode } from '../../contract/language.ts';
import { requestText, urlCharactersMax } from '../../contract/request-text.ts';
import { createTranscriptionCommand, uploadReference } from '../../contract/transcription.ts';
import { completeUploadCommand, objectKey, partList, storageId, uploadId } from '../../contract/upload.ts';
import { createTranscription } from '../../transcription/admission/create-transcription.ts';
import { completeUpload } from '../../upload/complete-upload.ts';
import { partsMax } from '../../upload/part-plan.ts';
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
    .default(false)
    .describe('Tell speakers apart; only where the plan allows it'),
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

/** The reference that the REST API takes; one sent in parts is completed with the same call. */
const uploadArgument = uploadReference.extend({
  key: objectKey.describe('From prepare_upload'),
  storage: storageId.describe('From prepare_upload'),
  upload_id: uploadId.optional().describe('Multipart only: from prepare_upload'),
  parts: partList
    .max(partsMax)
    .optional()
    .describe('Multipart only: every part with the ETag header that its PUT returned'),
});

const input = z.object({
  source_url: requestText(urlCharactersMax)
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
      const command = createTranscriptionCommand(args);
      await completeParts(deps, agent, args.upload);
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

async function completeParts(
  { uploads }: AgentDeps,
  { principal }: Agent,
  upload: z.output<typeof input>['upload'],
): Promise<void> {
  if (upload?.upload_id === undefined || !upload.parts) return;
  const { key, storage, upload_id, parts } = upload;
  await completeUpload(uploads, principal, completeUploadCommand({ key, storage, upload_id, parts }));
}
