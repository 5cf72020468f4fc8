/** The S3 server that scripts/test.ts started, if any: a bucket of its own for each test file. */
import { randomBytes } from 'node:crypto';
import { S3 } from '@aws-sdk/client-s3';
import { type Hooks, onCleanup } from './cleanup.ts';
import type { Environment } from './service.ts';

export interface S3Settings {
  endpoint: string | undefined;
  region: string;
  bucket: string;
  forcePathStyle: boolean;
  accessKeyId: string;
  secretAccessKey: string;
}

const { env } = process;

/** False, or the words that the test runner shows beside what it skipped. */
export const skipWithoutS3: string | false = env.LONGHAND_TEST_S3_ENDPOINT
  ? false
  : 'there is no S3 server: ./setup --tests brings one';

export function s3ClientFor(settings: S3Settings): S3 {
  const { endpoint = '', region, forcePathStyle, accessKeyId, secretAccessKey } = settings;
  const credentials = { accessKeyId, secretAccessKey };
  return new S3({
    endpoint,
    region,
    forcePathStyle,
    credentials,
    requestChecksumCalculation: 'WHEN_REQUIRED',
  });
}

export async function createTestBucket(hooks: Hooks): Promise<S3Settings> {
  const settings: S3Settings = {
    endpoint: env.LONGHAND_TEST_S3_ENDPOINT,
    region: 'us-east-1',
    bucket: `test-${randomBytes(8).toString('hex')}`,
    forcePathStyle: true,
    accessKeyId: env.LONGHAND_TEST_S3_ACCESS_KEY_ID ?? '',
    secretAccessKey: env.LONGHAND_TEST_S3_SECRET_ACCESS_KEY ?? '',
  };
  const client = s3ClientFor(settings);
  await client.createBucket({ Bucket: settings.bucket });
  onCleanup(hooks, async () => {
    await emptyBucket(client, settings.bucket);
    await client.deleteBucket({ Bucket: settings.bucket });
    client.destroy();
  });
  return settings;
}

/** Settings of a service that keeps its objects there. */
export function s3Environment(settings: S3Settings): Environment {
  return {
    LONGHAND_STORAGE: 's3',
    LONGHAND_S3_ENDPOINT: settings.endpoint ?? '',
    LONGHAND_S3_REGION: settings.region,
    LONGHAND_S3_BUCKET: settings.bucket,
    LONGHAND_S3_ACCESS_KEY_ID: settings.accessKeyId,
    LONGHAND_S3_SECRET_ACCESS_KEY: settings.secretAccessKey,
    LONGHAND_S3_FORCE_PATH_STYLE: String(settings.forcePathStyle),
  };
}

async function emptyBucket(client: S3, Bucket: string): Promise<void> {
  for (const { Key } of (await client.listObjectsV2({ Bucket })).Contents ?? []) {
    await client.deleteObject({ Bucket, Key });
  }
  for (const { Key, UploadId } of (await client.listMultipartUploads({ Bucket })).Uploads ?? []) {
    await client.abortMultipartUpload({ Bucket, Key, UploadId });
  }
}
