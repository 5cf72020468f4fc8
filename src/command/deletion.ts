/** `transcription delete` and `account delete`: by hand of the operator, on the database that runs here. */
import { createInterface } from 'node:readline/promises';
import { operatorFor } from '../account/principal.ts';
import { ApiError } from '../contract/errors.ts';
import { type DeleteAccountDeps, deleteAccount } from '../erasure/delete-account.ts';
import { type Deleted, deleteTranscription } from '../erasure/delete-transcription.ts';
import { PublicUrl } from '../http/public-url.ts';
import { erasureDeps } from '../service/erasure.ts';
import { openStorage } from '../service/processing.ts';
import { eventRecorder } from '../service/webhooks.ts';
import { transcriptionStore } from '../transcription/transcription-store.ts';
import { onFoundation, print } from './command-context.ts';
import { CommandFailure } from './command-failure.ts';

interface Options {
  json?: boolean;
  yes?: boolean;
}

export async function deleteOneTranscription(id: string, options: Options): Promise<void> {
  await onErasure(async (deps) => {
    const owner = await transcriptionStore.ownerOf(deps.db, id);
    const account = owner && (await deps.accounts.find(deps.db, owner));
    if (!account) throw unknownTranscription(id);
    const deleted = await deleteTranscription(deps, operatorFor(account), id).catch((error: unknown) => {
      throw error instanceof ApiError && error.code === 'not_found' ? unknownTranscription(id) : error;
    });
    report(`Transcription ${id}`, id, deleted, options);
  });
}

export async function deleteOneAccount(id: string, options: Options): Promise<void> {
  await onErasure(async (deps) => {
    const account = await deps.accounts.find(deps.db, id);
    // One that cannot be found any more may be half erased: then this goes on with it.
    if (account && !options.yes)
      await confirm(`Delete the account "${account.name}" (${id}) with all its jobs?`);
    report(`Account ${id}`, id, await deleteAccount(deps, id), options);
  });
}

async function onErasure(work: (deps: DeleteAccountDeps) => Promise<void>): Promise<void> {
  await onFoundation(async (foundation) => {
    const storage = await openStorage(foundation);
    try {
      const recordEnd = eventRecorder(foundation, new PublicUrl(foundation.config));
      await work(erasureDeps(foundation, storage, { recordEnd, afterEnd: () => {} }, undefined));
    } finally {
      await storage.close();
    }
  });
}

/** Only a person can be asked; a program has said what it wants. */
async function confirm(question: string): Promise<void> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return;
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question(`${question} This cannot be undone. Type yes to go on: `);
  terminal.close();
  if (answer.trim().toLowerCase() !== 'yes') throw new CommandFailure('Nothing was deleted.');
}

function report(what: string, id: string, { isErased }: Deleted, options: Options): void {
  print({ id, deleted: true, media_erased: isErased }, options, () => [
    isErased
      ? `${what} is erased, with everything that belongs to it.`
      : `${what} is deleted. Some of its media is on a storage that did not answer; the service erases it as soon as it does.`,
  ]);
}

function unknownTranscription(id: string): CommandFailure {
  return new CommandFailure(`There is no transcription ${id}.`);
}
