/** The sandbox of this machine for tests; where there is none, those that need it say why they are skipped. */
import { systemClock } from '../../src/platform/clock.ts';
import { findSandbox } from '../../src/platform/process/find-sandbox.ts';
import type { Sandbox } from '../../src/platform/process/sandbox.ts';

const found = await findSandbox({ hidden: [], signal: systemClock.timeout(10_000) });

export const sandbox: Sandbox | undefined = 'command' in found ? found : undefined;
export const withoutSandbox: string | false = 'command' in found ? false : `no sandbox: ${found.reason}`;
