/** Read-only links to a transcript. */
import { z } from 'zod';
import { webPath, webRequest } from './web-request.ts';

export const sharePath = webPath(z.object({ id: z.guid(), share: z.guid() }));
export const sharedPath = webPath(z.object({ token: z.string() }));

export const shareBody = webRequest(z.object({ days: z.int().min(1).max(365) }));

interface ShareFields {
  id: string;
  createdAt: Date;
  expiresAt: Date;
}

export function shareOnWire({ id, createdAt, expiresAt }: ShareFields) {
  return { id, created_at: createdAt.toISOString(), expires_at: expiresAt.toISOString() };
}

/** Only the answer that makes a link can tell where it leads. */
export function createdShareOnWire({ share, token }: { share: ShareFields; token: string }) {
  return { ...shareOnWire(share), path: `/shared/${token}` };
}
