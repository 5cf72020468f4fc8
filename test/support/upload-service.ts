/** The upload part of the service on loopback: its real routes, stores and database, with a clock that a test can move. */
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Account } from '../../src/account/account.ts';
import { accountStore } from '../../src/account/account-store.ts';
import { Allowance } from '../../src/account/allowance.ts';
import { Authenticator } from '../../src/account/authenticate.ts';
import { createApiKey } from '../../src/account/create-api-key.ts';
import { builtInPlans, parsePlanTable } from '../../src/account/plan.ts';
import { operatorFor } from '../../src/account/principal.ts';
import { RateLimiter } from '../../src/account/rate-limit.ts';
import { requestRateStore } from '../../src/account/request-rate-store.ts';
import { requireApiKey } from '../../src/http/authentication.ts';
import { localObjectRoutes } from '../../src/http/local-object-routes.ts';
import { PublicUrl } from '../../src/http/public-url.ts';
import { createServer } from '../../src/http/server.ts';
import { uploadRoutes } from '../../src/http/upload-routes.ts';
import { type Clock, systemClock } from '../../src/platform/clock.ts';
import type { Database } from '../../src/platform/database/database.ts';
import { DiskBudget, spaceOf } from '../../src/platform/disk/disk-budget.ts';
import type { GrantedUploads } from '../../src/storage/local/local-receive.ts';
import { LocalStore } from '../../src/storage/local/local-store.ts';
import { UploadThreads } from '../../src/storage/local/upload-threads.ts';
import { type ObjectStore, type ObjectStores, objectStores } from '../../src/storage/object-store.ts';
import { uploadStore } from '../../src/upload/upload-store.ts';
import { type Hooks, onCleanup } from './cleanup.ts';
import { openTestDatabase } from './database.ts';
import { silentLogger } from './silent-logger.ts';

export interface UploadService {
  url: string;
  db: Database;
  clock: MovableClock;
  stores: ObjectStores;
  disk: DiskBudget;
  local: LocalStore;
  /** The directory of the local storage. */
  directory: string;
  createAccount(plan: string): Promise<{ account: Account; headers: Record<string, string> }>;
}

/** Real time plus what a test adds to it: signatures of a real S3 server would not follow a stopped clock. */
export interface MovableClock extends Clock {
  skewMs: number;
}

export function movableClock(): MovableClock {
  const clock: MovableClock = {
    ...systemClock,
    skewMs: 0,
    now: () => systemClock.now() + clock.skewMs,
    date: () => new Date(clock.now()),
  };
  return clock;
}

export async function startUploadService(
  hooks: Hooks,
  options: {
    storage?: 'local' | 's3';
    s3?: (clock: Clock) => ObjectStore;
    multipartThresholdBytes?: number;
    /** Those of a service that runs already. */
    db?: Database;
    directory?: string;
    /** Free bytes of the disk above its reserve; asked of the file system, without a reserve, unless given. */
    availableBytes?: () => number;
    diskReserveBytes?: number;
  } = {},
): Promise<UploadService> {
  const db = options.db ?? (await openTestDatabase(hooks));
  const directory = options.directory ?? (await mkdtemp(join(tmpdir(), 'longhand-objects-')));
  const clock = movableClock();
  const uploadThreads = new UploadThreads();
  const publicUrl = new PublicUrl({ publicUrl: undefined, host: '127.0.0.1', port: 0, tls: undefined });
  const signingKey = Buffer.alloc(32, 7);
  const { availableBytes } = options;
  const disk = new DiskBudget({
    space: availableBytes
      ? async () => ({ freeBytes: availableBytes(), totalBytes: Number.MAX_SAFE_INTEGER })
      : () => spaceOf([directory]),
    reserveBytes: options.diskReserveBytes ?? 0,
    promisedBytes: () => uploadStore.promisedBytes(db, clock.date()),
  });
  const local = new LocalStore({
    directory,
    signingKey,
    clock,
    uploadThreads,
    disk,
  });
  const stores = objectStores(options.storage ?? 'local', [
    local,
    ...(options.s3 ? [options.s3(clock)] : []),
  ]);
  const accounts = accountStore(parsePlanTable(builtInPlans));
  const uploads: GrantedUploads = {
    isOpen: (key) => uploadStore.isOpen(db, { storage: 'local', key }),
    markReceived: (received) => uploadStore.markReceived(db, received),
  };
  const server = createServer({ logger: silentLogger });
  server.register(async (scope) => localObjectRoutes(scope as typeof server, { store: local, uploads }));
  server.register(async (api) => {
    const limiter = new RateLimiter(
      { requestsPerMinute: 1e6, createsPerMinute: 1e6 },
      { clock, take: (id, wanted) => requestRateStore.take(db, id, wanted) },
    );
    requireApiKey(api, new Authenticator({ db, accounts, clock }), limiter);
    uploadRoutes(api as typeof server, {
      db,
      stores,
      disk,
      clock,
      publicUrl,
      allowance: new Allowance(clock),
      multipartThresholdBytes: options.multipartThresholdBytes ?? 104_857_600,
    });
  });
  await server.listen({ host: '127.0.0.1', port: 0 });
  publicUrl.listensOn((server.server.address() as AddressInfo).port);
  const url = publicUrl.base;
  onCleanup(hooks, async () => {
    await server.close();
    await uploadThreads.close();
    if (!options.directory) await rm(directory, { recursive: true, force: true });
  });
  const createAccount = async (plan: string) => {
    const account = await accounts.create(db, { name: `a ${plan} account`, plan });
    const { key } = await createApiKey({ db, clock }, operatorFor(account), { name: 'test', validMs: null });
    return { account, headers: { authorization: `Bearer ${key}` } };
  };
  return { url, db, clock, stores, disk, local, directory, createAccount };
}
