import type { CallToolResult, ServerContext } from '@modelcontextprotocol/server';
import { ApiError } from '../contract/errors.ts';
import { transcriptionStore } from '../transcription/transcription-store.ts';
import type { Agent, AgentDeps } from './agent.ts';
import { isJobId } from './job-id.ts';
import { endedResult, type PageRequest, processingResult, type TranscriptDeps } from './transcript-answer.ts';

/** The transcript, after a bounded wait for it; otherwise how far it is and how to get it. */
export async function waitedResult(
  deps: TranscriptDeps & Pick<AgentDeps, 'waits'>,
  agent: Agent,
  givenId: string,
  { context, page }: { context: ServerContext; page: PageRequest },
): Promise<CallToolResult> {
  const { db, waits } = deps;
  const accountId = agent.principal.account.id;
  // As the database announces it.
  const id = givenId.toLowerCase();
  const job = { accountId, id };
  const owned = async () => {
    const found = isJobId(id) ? await transcriptionStore.findOwned(db, accountId, id) : undefined;
    if (!found) throw new ApiError('not_found');
    return found;
  };
  if (!waits.isWaitedFor(job)) {
    const found = await owned();
    if (found.status !== 'processing') return await endedResult(deps, agent, found, page);
  }
  const waited = await waits.untilEnded(job, context);
  if (waited.kind === 'ended') return await endedResult(deps, agent, waited.job, page);
  const latest = await owned();
  if (latest.status !== 'processing') return await endedResult(deps, agent, latest, page);
  return processingResult(agent, latest, waited.progress);
}
