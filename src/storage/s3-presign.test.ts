import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PutObjectCommand, S3, UploadPartCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { type S3Address, S3Presigner } from './s3-presign.ts';

const credentials = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
};
const date = new Date('2026-11-15T10:20:30.456Z');
const key = 'uploads/0b8f2c9e-8c43-4e8e-9a61-000000000001/5f4c9f0e-1111-4222-8333-444455556666';

const addresses: Record<string, S3Address> = {
  AWS: { endpoint: undefined, region: 'eu-central-1', bucket: 'media', forcePathStyle: false },
  'AWS, path style': { endpoint: undefined, region: 'eu-west-3', bucket: 'media.dots', forcePathStyle: true },
  'another store with a port': {
    endpoint: 'http://127.0.0.1:9000',
    region: 'us-east-1',
    bucket: 'media',
    forcePathStyle: true,
  },
  'another store by bucket name': {
    endpoint: 'https://store.example.com',
    region: 'auto',
    bucket: 'media',
    forcePathStyle: false,
  },
};

const sessionToken = 'FwoGZXIvYXdzEBYaD+/=temporary';

function comparable(url: string): string {
  const parsed = new URL(url);
  parsed.searchParams.sort();
  return parsed.href;
}

function clientAt({ endpoint, region, forcePathStyle }: S3Address, token?: string): S3 {
  const place = endpoint === undefined ? {} : { endpoint };
  const client = new S3({
    ...place,
    region,
    forcePathStyle,
    credentials: { ...credentials, ...(token === undefined ? {} : { sessionToken: token }) },
    requestChecksumCalculation: 'WHEN_REQUIRED',
  });
  // The SDK names the operation in the query, which no store needs.
  client.middlewareStack.add(
    (next) => (args) => {
      delete (args.request as { query: Record<string, unknown> }).query['x-id'];
      return next(args);
    },
    { step: 'build', priority: 'low' },
  );
  return client;
}

for (const [name, address] of Object.entries(addresses)) {
  test(`the signature of a single PUT is the SDK's own (${name})`, async () => {
    const theirs = await getSignedUrl(
      clientAt(address),
      new PutObjectCommand({
        Bucket: address.bucket,
        Key: key,
        ContentLength: 1234,
        ContentType: 'audio/mpeg',
      }),
      {
        expiresIn: 900,
        signingDate: date,
        signableHeaders: new Set(['host', 'content-length', 'content-type']),
      },
    );
    const headers = { 'content-length': '1234', 'content-type': 'audio/mpeg' };
    const ours = new S3Presigner(address).put({ key, headers, expiresInSeconds: 900, date, credentials });
    assert.equal(comparable(ours), comparable(theirs));
  });

  test(`the signature of a part is the SDK's own (${name})`, async () => {
    const uploadId = '2~a/b+c=d e~f';
    const theirs = await getSignedUrl(
      clientAt(address),
      new UploadPartCommand({
        Bucket: address.bucket,
        Key: key,
        ContentLength: 99,
        PartNumber: 7,
        UploadId: uploadId,
      }),
      { expiresIn: 14_400, signingDate: date, signableHeaders: new Set(['host', 'content-length']) },
    );
    const ours = new S3Presigner(address).put({
      key,
      credentials,
      query: { uploadId, partNumber: '7' },
      headers: { 'content-length': '99' },
      expiresInSeconds: 14_400,
      date,
    });
    assert.equal(comparable(ours), comparable(theirs));
  });

  test(`temporary credentials bring their token into the signature, as the SDK does (${name})`, async () => {
    const input = { Bucket: address.bucket, Key: key, ContentLength: 5, ContentType: 'audio/wav' };
    const theirs = await getSignedUrl(clientAt(address, sessionToken), new PutObjectCommand(input), {
      expiresIn: 900,
      signingDate: date,
      signableHeaders: new Set(['host', 'content-length', 'content-type']),
    });
    const presigner = new S3Presigner(address);
    const request = {
      key,
      headers: { 'content-length': '5', 'content-type': 'audio/wav' },
      expiresInSeconds: 900,
      date,
    };
    presigner.put({ ...request, credentials: { ...credentials, secretAccessKey: 'before' } });
    const ours = presigner.put({ ...request, credentials: { ...credentials, sessionToken } });
    assert.equal(comparable(ours), comparable(theirs));
  });
}
