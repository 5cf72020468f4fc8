import type { StorageId } from '../storage/object-store.ts';

export type UploadStatus = 'open' | 'completed' | 'discarded';

/** What an account has prepared and no job uses yet. */
export interface UnusedUploads {
  bytes: number;
  openUploads: number;
}

export interface Upload {
  id: string;
  accountId: string;
  storage: StorageId;
  key: string;
  /** A label for people; never a path. */
  filename: string;
  contentType: string;
  sizeBytes: number;
  /** Set for a multipart upload. */
  partSizeBytes: number | null;
  multipartId: string | null;
  status: UploadStatus;
  createdAt: Date;
  expiresAt: Date;
  partsHash: Buffer | null;
  erasedAt: Date | null;
}
