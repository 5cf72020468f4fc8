/** The S3 server of the tests, for a benchmark: the one that is set, or one that lives as long as the benchmark. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { type Hooks, onCleanup } from '../../test/support/cleanup.ts';
import { temporaryDataDir } from '../../test/support/service.ts';

const script = join(import.meta.dirname, '..', '..', 'scripts', 's3-server');
const startMsMax = 300_000;
const stopMsMax = 30_000;

/** Sets what `createTestBucket` reads. */
export async function openS3Server(hooks: Hooks): Promise<void> {
  if (process.env.LONGHAND_TEST_S3_ENDPOINT) return;
  const directory = join(await temporaryDataDir(hooks), 's3');
  onCleanup(hooks, async () => {
    execFileSync(script, ['stop', directory], { stdio: 'inherit', timeout: stopMsMax });
  });
  const output = execFileSync(script, ['start', directory], { encoding: 'utf8', timeout: startMsMax });
  for (const [, name = '', value = ''] of output.matchAll(/^export (\w+)=(.*)$/gm)) process.env[name] = value;
}
