/** `longhand account export ID FILE`: for the account's owner, who asked what is stored. */
import { exportAccount } from '../archive/export-account.ts';
import { onFoundation, print } from './command-context.ts';
import { CommandFailure } from './command-failure.ts';

export async function exportOneAccount(id: string, file: string, options: { json?: boolean }): Promise<void> {
  await onFoundation(async ({ db, accounts }) => {
    const account = await accounts.get(db, id);
    const rows = await exportAccount(db, account.id, file).catch((error: NodeJS.ErrnoException) => {
      if (error.syscall === undefined) throw error;
      throw new CommandFailure(`${file} cannot be written: ${error.message}`);
    });
    print({ id: account.id, file, rows }, options, () => [
      `${file} holds ${rows.transcription ?? 0} transcriptions and everything else of the account "${account.name}", one JSON object on each line.`,
      'Keys, signing secrets and media are not in it.',
    ]);
  });
}
