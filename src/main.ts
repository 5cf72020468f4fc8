/** The command `longhand`. */
import { Command, CommanderError } from 'commander';
import { asTyped } from './command/command-name.ts';
import { listenCommand, recordingCommands } from './command/recording-commands.ts';
import { packageVersion } from './platform/package-version.ts';
import { keepCompiledCode } from './platform/process/compile-cache.ts';

keepCompiledCode();

/** A command's code is loaded when it runs: `key list` does not wait for the web server's. */
const accounts = () => import('./command/account.ts');
const deletion = () => import('./command/deletion.ts');
const keys = () => import('./command/key.ts');
const speechModels = () => import('./command/models.ts');
const tools = () => import('./command/tools.ts');
const webhooks = () => import('./command/webhook.ts');
const service = () => import('./command/serve.ts');

const json = ['--json', 'one JSON object for programs'] as const;
function program(): Command {
  const longhand = new Command('longhand')
    .description('Self-hosted asynchronous transcription.')
    .version(packageVersion(), '--version', 'the version of Longhand')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => process.stdout.write(asTyped(text)),
      outputError: (text, write) => write(text.replace(/^error: /, 'longhand: ')),
    });

  longhand
    .command('serve')
    .description('run the service')
    .option('--role <role>', 'all, api or worker')
    .action(async (options) => exitWith(await (await service()).serve(options)));
  longhand
    .command('worker')
    .description('run a worker only: the same as serve --role worker')
    .action(async () => exitWith(await (await service()).serve({ role: 'worker' })));
  recordingCommands(longhand);
  longhand
    .command('jobs')
    .description('jobs of all accounts, newest first')
    .option('--state <state>', 'only processing, completed or failed')
    .option('--account <id>', 'only of this account')
    .option('--limit <count>', 'how many, 20 unless told')
    .option(...json)
    .action(async (options) => (await import('./command/jobs.ts')).listJobs(options));
  longhand
    .command('signin')
    .description('a link that signs a browser in, once')
    .option('--account <id>', 'to which account; not needed where there is one account')
    .option(...json)
    .action(async (options) => (await import('./command/sign-in.ts')).signIn(options));
  accountCommands(longhand.command('account').description('accounts and their plans'));
  keyCommands(longhand.command('key').description('API keys'));
  transcriptionCommands(longhand.command('transcription').description('transcription jobs'));
  modelCommands(longhand.command('models').description('speech models'));
  toolCommands(longhand.command('tools').description('programs that open video pages'));
  webhookCommands(longhand.command('webhook').description('webhook subscriptions and deliveries'));
  longhand
    .command('migrate')
    .description(
      'bring the schema of the database up to date; releases before this one go on working with it',
    )
    .option(...json)
    .action(async (options) => (await import('./command/migrate.ts')).migrateDatabase(options));
  longhand
    .command('backup')
    .description(
      'the embedded database, the uploads and the secrets as one file, also while the service runs',
    )
    .argument('<file>', 'a tar file to be written')
    .option(...json)
    .action(async (file, options) => (await import('./command/backup.ts')).backUp(file, options));
  longhand
    .command('restore')
    .description('make an empty data directory what it was at the time of a backup')
    .argument('<file>')
    .option(...json)
    .action(async (file, options) => (await import('./command/backup.ts')).restoreFrom(file, options));
  longhand
    .command('move')
    .description('from the embedded database and local storage to the PostgreSQL and S3 of the settings')
    .option(...json)
    .action(async (options) => (await import('./command/move.ts')).moveOut(options));
  longhand
    .command('doctor')
    .description('check that everything Longhand needs is there')
    .option(...json)
    .action(async (options) => {
      const { doctor } = await import('./command/doctor.ts');
      if (!(await doctor(options))) process.exitCode = 1;
    });
  return longhand;
}

function accountCommands(account: Command): void {
  account
    .command('create')
    .description('make an account')
    .argument('<name>')
    .option('--plan <plan>', 'the plan it is on')
    .option(...json)
    .action(async (name, options) => (await accounts()).createAccount(name, options));
  account
    .command('list')
    .description('all accounts')
    .option(...json)
    .action(async (options) => (await accounts()).listAccounts(options));
  account
    .command('plan')
    .description('put an account on another plan')
    .argument('<id>')
    .argument('<plan>')
    .option(...json)
    .action(async (id, plan, options) => (await accounts()).changePlan(id, plan, options));
  account
    .command('operator')
    .description("let an account see the operator's page of the web product")
    .argument('<id>')
    .option('--revoke', 'not any more')
    .option(...json)
    .action(async (id, options) => (await accounts()).changeOperator(id, options));
  account
    .command('export')
    .description('everything of an account for its owner, as lines of JSON, without keys, secrets and media')
    .argument('<id>')
    .argument('<file>', 'to be written')
    .option(...json)
    .action(async (id, file, options) =>
      (await import('./command/account-export.ts')).exportOneAccount(id, file, options),
    );
  account
    .command('delete')
    .description('erase an account with everything that belongs to it; asks first on a terminal')
    .argument('<id>')
    .option('--yes', 'do not ask')
    .option(...json)
    .action(async (id, options) => (await deletion()).deleteOneAccount(id, options));
}

function transcriptionCommands(transcription: Command): void {
  transcription
    .command('delete')
    .description('erase a job with everything that belongs to it; one that still runs is cancelled')
    .argument('<id>')
    .option(...json)
    .action(async (id, options) => (await deletion()).deleteOneTranscription(id, options));
}

function keyCommands(key: Command): void {
  key
    .command('create')
    .description('make a key; it is shown once')
    .option('--account <id>', 'whose key it is; not needed where there is one account')
    .option('--name <name>', 'what it is for')
    .option('--expires <time>', 'such as 12h, 90d or 8w')
    .option(...json)
    .action(async (options) => (await keys()).createKey(options));
  key
    .command('list')
    .description("an account's keys")
    .option('--account <id>', 'whose keys; not needed where there is one account')
    .option(...json)
    .action(async (options) => (await keys()).listKeys(options));
  key
    .command('revoke')
    .description('stop a key at its next request')
    .argument('<id>', 'the id of the key, not the key itself')
    .option(...json)
    .action(async (id, options) => (await keys()).revokeKey(id, options));
}

function modelCommands(models: Command): void {
  models
    .command('list')
    .description('installed and available models')
    .option(...json)
    .action(async (options) => (await speechModels()).listModels(options));
  models
    .command('install')
    .description('fetch models, checked by their SHA-256')
    .argument('[ids...]')
    .option('--default', 'the models that Longhand needs to run')
    .option(...json)
    .action(async (ids, options) => (await speechModels()).installModels(ids, options));
}

function toolCommands(tool: Command): void {
  tool
    .command('list')
    .description('what is used, how old it is and where it came from')
    .option(...json)
    .action(async (options) => (await tools()).listTools(options));
  tool
    .command('install')
    .description("fetch yt-dlp from its project's release, checked by SHA-256")
    .argument('<name>', 'yt-dlp')
    .option('--release <release>', 'a release such as 2026.10.26; the newest when not given')
    .option('--from <url>', 'a mirror that has the files yt-dlp and SHA2-256SUMS of a release')
    .option('--sha256 <hash>', 'the hash that it must have')
    .option(...json)
    .action(async (name, options) => (await tools()).installTool(name, options));
}

function webhookCommands(webhook: Command): void {
  webhook
    .command('list')
    .description('subscriptions, newest first')
    .option('--account <id>', 'only of this account')
    .option(...json)
    .action(async (options) => (await webhooks()).listWebhooks(options));
  webhook
    .command('deliveries')
    .description('deliveries with their attempts, newest first')
    .option('--account <id>', 'only of this account')
    .option('--subscription <id>', 'only to this subscription')
    .option('--limit <count>', 'how many, 20 unless told')
    .option(...json)
    .action(async (options) => (await webhooks()).listWebhookDeliveries(options));
  webhook
    .command('test')
    .description('send a signed test event to a subscription')
    .argument('<subscription>', 'its id')
    .option(...json)
    .action(async (subscription, options) => (await webhooks()).testWebhook(subscription, options));
  webhook
    .command('replay')
    .description('send an ended delivery again, with the same event id and body')
    .argument('<delivery>', 'its id')
    .option(...json)
    .action(async (delivery, options) => (await webhooks()).replayWebhook(delivery, options));
  listenCommand(webhook);
  webhook
    .command('reseal')
    .description('seal all signing secrets with the newest key of LONGHAND_SECRET_KEY')
    .option(...json)
    .action(async (options) => (await webhooks()).resealWebhooks(options));
}

/** Whatever still holds the process after a service has stopped does not matter any more. */
function exitWith(code: number): never {
  process.exit(code);
}

try {
  await program().parseAsync();
} catch (error) {
  process.exitCode = exitCodeOf(error);
  if (!(error instanceof CommanderError)) {
    const sentence = error instanceof Error ? error.message : String(error);
    process.stderr.write(`longhand: ${asTyped(sentence)}\n`);
  }
}

/** 0 done, 1 failed, 2 typed wrong, 130 interrupted: docs/operating.md. */
function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  return error instanceof Error && 'exitCode' in error ? Number(error.exitCode) : 1;
}
