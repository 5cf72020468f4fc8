/** Runs the same cases against each storage: the local one, and a real S3 server when there is one. */
import { after, before, describe, type TestContext, test } from 'node:test';
import type { Account } from '../../src/account/account.ts';
import type { Clock } from '../../src/platform/clock.ts';
import type { ObjectStore } from '../../src/storage/object-store.ts';
import { S3Store } from '../../src/storage/s3-store.ts';
import type { Hooks } from './cleanup.ts';
import { createTestBucket, type S3Settings, skipWithoutS3 } from './s3-server.ts';
import { UploadClient } from './upload-client.ts';
import { startUploadService, type UploadService } from './upload-service.ts';

export interface StorageContext extends UploadService {
  storage: 'local' | 's3';
  /** Where new uploads go. */
  store: ObjectStore;
  s3: S3Settings | undefined;
  account: Account;
  client: UploadClient;
  /** A client of the same service with an account of its own on that plan. */
  clientOn(plan: string): Promise<UploadClient>;
}

export type StorageCase = (
  name: string,
  body: (context: StorageContext, t: TestContext) => Promise<void>,
) => void;

const mebibyte = 1024 * 1024;

/** Multipart begins at 16 MiB here, so that two parts are enough to show it. One service serves all cases. */
export function onBothStorages(title: string, cases: (storageCase: StorageCase) => void): void {
  for (const storage of ['local', 's3'] as const) {
    describe(`${title} on ${storage}`, { skip: storage === 's3' && skipWithoutS3 }, () => {
      const started = Promise.withResolvers<StorageContext>();
      const endings: (() => Promise<void>)[] = [];
      before(async () => started.resolve(await contextFor({ after: (work) => endings.push(work) }, storage)));
      after(async () => {
        for (const end of endings.toReversed()) await end();
      });
      cases((name, body) => {
        test(name, async (t) => {
          const context = await started.promise;
          t.after(() => {
            context.clock.skewMs = 0;
          });
          await body(context, t);
        });
      });
    });
  }
}

async function contextFor(hooks: Hooks, storage: 'local' | 's3'): Promise<StorageContext> {
  const s3 = storage === 's3' ? await createTestBucket(hooks) : undefined;
  const service = await startUploadService(hooks, {
    storage,
    multipartThresholdBytes: 16 * mebibyte,
    ...(s3 ? { s3: (clock: Clock) => new S3Store({ ...s3, clock }) } : {}),
  });
  const { account, headers } = await service.createAccount('pro');
  const clientOn = async (plan: string) =>
    new UploadClient(service.url, (await service.createAccount(plan)).headers);
  const store = service.stores.current;
  return {
    ...service,
    store,
    storage,
    s3,
    account,
    client: new UploadClient(service.url, headers),
    clientOn,
  };
}
