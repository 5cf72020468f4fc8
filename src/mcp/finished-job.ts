import type { CallToolResult, ServerContext } from '@modelcontextprotocol/server';
import { ApiError } from '../contract/errors.ts';
import { transcriptionStore } from '../transcription/transcription-store.ts';
import type { Agent, AgentDeps } from './agent.ts';
import { isJobId } from './job-id.ts';
import { endedResult, type PageRequest, processingResult } from './transcript-answer.ts';

/** The transcript, after a bounded wait for it; otherwise how far it is and how to get it. */
export async function waitedResult(
  { db, waits }: Pick<AgentDeps, 'db' | 'waits'>,
  agent: Agent,
  id: string,
  { context, page }: { context: ServerContext; page: PageRequest },
): Promise<CallToolResult> {
  const accountId = agent.principal.account.id;
  const found = isJobId(id) ? await transcriptionStore.findOwned(db, accountId, id) : undefined;
  if (!found) throw new ApiError('not_found');
  if (found.status !== 'processing') return await endedResult(db, agent, found, page);
  const waited = await waits.untilEnded({ accountId, id: found.id }, context);
  if (!waited) throw new ApiError('not_found');
  if (waited.kind === 'ended') return await endedResult(db, agent, waited.job, page);
  return processingResult(agent, found, waited.progress);
}
