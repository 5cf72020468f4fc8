import { type Duty, startDuty } from '../platform/database/duty.ts';
import { type SweepDeps, sweep } from './sweep.ts';

const sweepEveryMs = 10 * 60 * 1000;

/** Sweeps now and then as long as the service runs. Several processes may do so: one at a time does the work. */
export function startSweepDuty(deps: SweepDeps): Duty {
  return startDuty(deps.clock, sweepEveryMs, () => sweepOnce(deps));
}

async function sweepOnce(deps: SweepDeps): Promise<void> {
  try {
    const report = await sweep(deps);
    const total = report ? Object.values(report).reduce((sum, count) => sum + count, 0) : 0;
    if (total > 0) deps.logger.info({ ...report }, 'swept storage');
  } catch (error) {
    deps.logger.warn({ err: error }, 'a sweep failed; it will be tried again');
  }
}
