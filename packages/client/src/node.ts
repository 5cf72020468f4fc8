import { openAsBlob } from 'node:fs';
import { basename } from 'node:path';

/** A file of this machine as an upload source: read piece by piece while it is sent, never as a whole. */
export async function fileFrom(path: string): Promise<File> {
  const blob = await openAsBlob(path);
  return Object.assign(blob, {
    name: basename(path),
    lastModified: 0,
    webkitRelativePath: '',
  }) as unknown as File;
}
