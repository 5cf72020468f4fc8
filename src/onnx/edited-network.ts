import { readFile } from 'node:fs/promises';
import { InferenceSession } from 'onnxruntime-node';
import { editedGraph, type GraphEdit } from './edited-graph.ts';

/** Loads a network with changes to its graph; the file stays as it is. */
export async function editedNetwork(
  file: string,
  edits: readonly GraphEdit[],
  options: InferenceSession.SessionOptions,
): Promise<InferenceSession> {
  const published = await readFile(file);
  const edited = editedGraph(published, edits);
  free(published);
  try {
    return await InferenceSession.create(edited, options);
  } finally {
    free(edited);
  }
}

/** Hundreds of megabytes, at once: garbage collection would leave them until much later. */
function free({ buffer, byteLength }: Buffer): void {
  const isShared = buffer.byteLength !== byteLength; // Node keeps several small ones in one.
  if (!isShared && buffer instanceof ArrayBuffer) buffer.transfer(0);
}
