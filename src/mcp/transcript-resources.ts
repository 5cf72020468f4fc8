import type { ReadResourceResult } from '@modelcontextprotocol/server';
import { transcriptionStore } from '../transcription/transcription-store.ts';
import { type Agent, transcriptUri } from './agent.ts';
import { isJobId } from './job-id.ts';
import { playerResource, playerUri, readPlayer } from './player/player.ts';
import type { Resources } from './resource.ts';
import { endedResult, type TranscriptDeps, type TranscriptFormat } from './transcript-answer.ts';
import { maxCharsMost } from './transcript-page.ts';

const listedMax = 100;
const addressPattern =
  /^longhand:\/\/transcripts\/([^/?]+)(?:\/(text|srt|vtt))?(?:\?cursor=([0-9.]{1,40}))?$/;

/** The account's transcripts by address; those of others are not there. */
export function transcriptResources(deps: TranscriptDeps, agent: Agent): Resources {
  const { db } = deps;
  const accountId = agent.principal.account.id;
  return {
    async list() {
      const jobs = await transcriptionStore.listNewest(db, accountId, listedMax);
      const transcripts = jobs
        .filter(({ status }) => status === 'completed')
        .map(({ id, filename, createdAt }) => ({
          uri: transcriptUri(id),
          name: `transcript ${id}`,
          title: filename,
          mimeType: 'text/plain',
          annotations: { lastModified: createdAt.toISOString() },
        }));
      return [playerResource, ...transcripts];
    },
    templates: [
      {
        uriTemplate: 'longhand://transcripts/{id}',
        name: 'transcript',
        title: 'A transcript, line by line with times in seconds',
        mimeType: 'text/plain',
      },
      {
        uriTemplate: 'longhand://transcripts/{id}/{format}',
        name: 'transcript in a format',
        title: 'A transcript as text, srt or vtt',
        mimeType: 'text/plain',
      },
    ],
    async read(uri): Promise<ReadResourceResult | undefined> {
      if (uri === playerUri) return readPlayer();
      const match = addressPattern.exec(uri);
      const id = match?.[1] ?? '';
      if (!isJobId(id)) return undefined;
      const job = await transcriptionStore.findOwned(db, accountId, id);
      if (job?.status !== 'completed') return undefined;
      const format = (match?.[2] ?? 'segments') as TranscriptFormat;
      const page = { format, cursor: match?.[3], maxChars: maxCharsMost };
      const { content } = await endedResult(deps, agent, job, page);
      const [first] = content;
      return {
        contents: [{ uri, mimeType: 'text/plain', text: first?.type === 'text' ? first.text : '' }],
      };
    },
  };
}
