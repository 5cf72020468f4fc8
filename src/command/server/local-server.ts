/** A service for one command on this machine: reached by nobody else, gone with the command. */
import { accountStore } from '../../account/account-store.ts';
import { createApiKey } from '../../account/create-api-key.ts';
import { operatorFor } from '../../account/principal.ts';
import { revokeApiKey } from '../../account/revoke-api-key.ts';
import { openFoundation } from '../../service/foundation.ts';
import { startService } from '../../service/service.ts';
import type { CommandContext } from '../command-context.ts';
import { CommandFailure } from '../command-failure.ts';
import type { ServerAddress } from './server-address.ts';

export interface LocalServer {
  address: ServerAddress;
  stop(): Promise<void>;
}

/** For a command that was killed: its key is of no use to anybody, and ends. */
const keyLivesMs = 7 * 86_400_000;

export async function startLocalServer({ config, clock, logger }: CommandContext): Promise<LocalServer> {
  const own = {
    ...config,
    host: '127.0.0.1',
    port: 0,
    tls: undefined,
    publicUrl: undefined,
    role: 'all',
    protocols: new Set(['mcp'] as const),
  } as const;
  const service = await startService(own, clock, logger);
  try {
    for (const { text } of service.missing) process.stderr.write(`longhand: ${text}\n`);
    const { key, forget } = await ownKey({ config, clock, logger });
    return {
      address: { url: service.url ?? '', key },
      async stop() {
        await forget();
        await service.stop();
      },
    };
  } catch (error) {
    await service.stop();
    throw error;
  }
}

async function ownKey({ config, clock, logger }: CommandContext) {
  const foundation = await openFoundation(config, clock, logger);
  const { db } = foundation;
  const account = await accountStore(config.plans).first(db);
  if (!account) throw new CommandFailure('There is no account: create one with "longhand account create".');
  const operator = operatorFor(account);
  const command = { name: 'longhand mcp', validMs: keyLivesMs };
  const { id, key } = await createApiKey({ db, clock }, operator, command);
  return {
    key,
    async forget() {
      await revokeApiKey({ db }, operator, id);
      await foundation.close();
    },
  };
}
