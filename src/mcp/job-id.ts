import { z } from 'zod';

/** As over REST, a text that is no id names nothing: the tool says `not_found`, so only the length is checked here. */
export const jobId = z.string().max(100).describe('Id of the transcription');

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isJobId(id: string): boolean {
  return uuidPattern.test(id);
}
