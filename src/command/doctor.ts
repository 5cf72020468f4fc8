import { type Finding, findingsOf, type Verdict } from '../service/check.ts';
import { makeDataDirectory } from '../service/data-directory.ts';
import { type Foundation, openFoundation, secretBoxOf } from '../service/foundation.ts';
import { apiChecks, databaseCheck, storageChecks, workerChecks } from '../service/job-checks.ts';
import { lazyEgress } from '../service/lazy-egress.ts';
import { mediaPrograms, openStores } from '../service/processing.ts';
import { openModelStore } from '../service/speech.ts';
import { type CommandContext, commandContext, print } from './command-context.ts';
import { programFindings, withVersion } from './doctor-programs.ts';

const nodeMajorMin = 24;
const marks: Record<Verdict, string> = { ok: 'ok      ', warning: 'warning ', problem: 'PROBLEM ' };

/** Looks at everything Longhand needs; resolves with false when something must be mended. */
export async function doctor(options: { json?: boolean }): Promise<boolean> {
  const context = commandContext();
  const { config, clock } = context;
  await makeDataDirectory(config);
  const findings = [
    nodeFinding(),
    ...(config.role === 'api' ? [] : await localFindings(context)),
    ...(await programFindings(config, clock)),
    ...(await storageFindings(context)),
    ...(await databaseFindings(context)),
  ];
  const isSound = findings.every(({ verdict }) => verdict !== 'problem');
  print({ ok: isSound, checks: findings }, options, () =>
    findings.map(({ name, verdict, text }) => `${marks[verdict]} ${name.padEnd(10)} ${text}`),
  );
  return isSound;
}

function nodeFinding(): Finding {
  const isRecent = Number(process.versions.node.split('.')[0]) >= nodeMajorMin;
  return isRecent
    ? { name: 'node', verdict: 'ok', text: process.versions.node }
    : {
        name: 'node',
        verdict: 'problem',
        text: `${process.versions.node} is too old: run ./setup, or install Node ${nodeMajorMin}.`,
      };
}

async function localFindings({ config, clock, logger }: CommandContext): Promise<Finding[]> {
  const [programs, models] = await Promise.all([
    mediaPrograms({ config, clock, logger }),
    openModelStore({ config }, lazyEgress(config, clock)),
  ]);
  const findings = await findingsOf(workerChecks({ config, clock, programs, models }));
  return Promise.all(findings.map((one) => (one.name === 'models' ? one : withVersion(one, clock))));
}

async function storageFindings({ config, clock }: CommandContext): Promise<Finding[]> {
  const storage = await openStores({ config, clock });
  try {
    return await findingsOf(storageChecks({ config, clock, ...storage }));
  } finally {
    await storage.close();
  }
}

async function databaseFindings({ config, clock, logger }: CommandContext): Promise<Finding[]> {
  let foundation: Foundation;
  try {
    foundation = await openFoundation(config, clock, logger);
  } catch (error) {
    return [{ name: 'database', verdict: 'problem', text: (error as Error).message }];
  }
  try {
    const { db, isEmbedded } = foundation;
    const secretBox = await secretBoxOf(foundation);
    const hasWorker = config.role !== 'api';
    const checks = [
      databaseCheck({ clock, db, isEmbedded }),
      ...apiChecks({ clock, db, secretBox, hasWorker }),
    ];
    return (await findingsOf(checks)).map(withoutService);
  } finally {
    await foundation.close();
  }
}

/** The doctor may come while no service runs: then there is no worker, and nothing is wrong. */
function withoutService(finding: Finding): Finding {
  if (finding.name !== 'worker' || finding.verdict === 'ok') return finding;
  return { ...finding, verdict: 'warning', text: 'none runs at the moment: "npm start" brings one.' };
}
