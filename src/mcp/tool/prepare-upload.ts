import { z } from 'zod';
import {
  prepareUploadBody,
  prepareUploadCommand,
  uploadTarget,
  uploadTargetOnWire,
} from '../../contract/upload.ts';
import { prepareUpload } from '../../upload/prepare-upload.ts';
import type { Agent, AgentDeps } from '../agent.ts';
import { type Tool, tool } from '../tool.ts';

const output = z.object({
  ...uploadTarget.shape,
  next_steps: z.array(z.string()).describe('Exactly what to do, in this order'),
});
type Target = z.infer<typeof uploadTarget>;

const description = `Prepare the upload of a local file, for recordings without a public link. The answer holds signed URLs and the exact next steps: PUT the bytes there, then call transcribe with "upload". Use it where you can send HTTP requests yourself. Costs nothing of the allowance; the transcribe after it costs one.
Example: {"filename": "meeting.mp3", "size": 1048576, "content_type": "audio/mpeg"}`;

export function prepareUploadTool({ uploads }: AgentDeps, agent: Agent): Tool {
  return tool({
    name: 'prepare_upload',
    title: 'Prepare an upload',
    description,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    input: prepareUploadBody,
    output,
    async run({ args }) {
      const target = uploadTargetOnWire(
        await prepareUpload(uploads, agent.principal, prepareUploadCommand(args)),
        agent.serviceUrl,
      );
      const steps = stepsOf(target, args);
      return {
        content: [{ type: 'text', text: steps.map((step, index) => `${index + 1}. ${step}`).join('\n') }],
        structuredContent: { ...target, next_steps: steps } satisfies z.infer<typeof output>,
      };
    },
  });
}

/** The name of the file is the caller's own; it is quoted as JSON in what the caller sends back. */
function stepsOf(target: Target, { filename, size }: { filename: string; size: number }): string[] {
  const { key, storage, content_type, upload } = target;
  const reference = { filename, key, storage, size, content_type };
  const never = 'Never send the API key to these URLs.';
  if (upload.type === 'single') {
    const headers = Object.entries(upload.headers).map(([name, value]) => `-H '${name}: ${value}'`);
    return [
      `Send the file within 15 minutes: curl --fail -X PUT ${headers.join(' ')} --data-binary @FILE '${upload.url}'. ${never}`,
      `Then call transcribe ${JSON.stringify({ upload: reference })}.`,
    ];
  }
  const withParts = { ...reference, upload_id: upload.upload_id, parts: [{ part_number: 1, etag: 'ETAG' }] };
  return [
    `Within four hours, PUT each part to its URL in upload.parts: part N is ${upload.part_size} bytes from byte (N - 1) × ${upload.part_size} on, the last one is the rest. Keep the ETag header of each answer. ${never}`,
    `Then call transcribe with every part and its ETag: ${JSON.stringify({ upload: withParts })}.`,
  ];
}
