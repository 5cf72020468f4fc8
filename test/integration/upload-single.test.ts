import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { verifyUpload } from '../../src/upload/verify-upload.ts';
import { startUploadService } from '../support/upload-service.ts';
import { wavBytes } from '../support/wav-bytes.ts';

test('a prepared file goes straight to storage and is found whole when a job is created', async (t) => {
  const service = await startUploadService(t);
  const { account, headers } = await service.createAccount('free');
  const bytes = wavBytes(1);
  const prepared = await fetch(`${service.url}/api/v1/uploads`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ filename: '../../etc/Gespräch.wav', size: bytes.length }),
  });
  assert.equal(prepared.status, 200);
  const { data } = (await prepared.json()) as {
    data: { key: string; storage: string; upload: { url: string; headers: Record<string, string> } };
  };
  const put = await fetch(data.upload.url, { method: 'PUT', headers: data.upload.headers, body: bytes });
  assert.equal(put.status, 200);
  assert.equal(put.headers.get('etag'), `"${createHash('md5').update(bytes).digest('hex')}"`);
  const verified = await verifyUpload(service, {
    account,
    key: data.key,
    storage: data.storage,
    sizeBytes: bytes.length,
    filename: '../../etc/Gespräch.wav',
    contentType: null,
  });
  assert.equal(verified.filename, 'Gespräch.wav');
});
