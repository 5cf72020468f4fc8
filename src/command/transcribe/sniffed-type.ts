import { open } from 'node:fs/promises';
import { acceptedType, extensionOf } from '../../media/accepted-media.ts';
import { magicBytesWanted, mediaKind } from '../../media/magic.ts';

/** Kinds whose name is not an extension of theirs. */
const extensions: Readonly<Record<string, string>> = { matroska: 'mkv', asf: 'wmv', mpegts: 'ts' };

/** The MIME type by the first bytes, for a recording whose name says nothing; undefined otherwise. */
export async function sniffedType(path: string, filename: string): Promise<string | undefined> {
  if (extensionOf(filename) !== undefined) return undefined;
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(magicBytesWanted), 0, magicBytesWanted, 0);
    const kind = mediaKind(buffer.subarray(0, bytesRead));
    return kind && acceptedType(`file.${extensions[kind] ?? kind}`);
  } finally {
    await file.close();
  }
}
