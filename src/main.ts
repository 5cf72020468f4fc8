/** The command `longhand`. */
import { Command, CommanderError } from 'commander';
import { AccountError } from './account/account.ts';
import { changePlan, createAccount, listAccounts } from './command/account.ts';
import { UsageError } from './command/command-context.ts';
import { doctor } from './command/doctor.ts';
import { createKey, listKeys, revokeKey } from './command/key.ts';
import { installModels, listModels } from './command/models.ts';
import { serve } from './command/serve.ts';
import { transcribe } from './command/transcribe.ts';
import { StartError } from './platform/start-error.ts';

const json = ['--json', 'one JSON object for programs'] as const;

function program(): Command {
  const longhand = new Command('longhand')
    .description('Self-hosted asynchronous transcription.')
    .exitOverride()
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'longhand: ')) });

  longhand
    .command('serve')
    .description('run the service')
    .option('--role <role>', 'all, api or worker')
    .action(async (options) => exitWith(await serve(options)));
  longhand
    .command('worker')
    .description('run a worker only: the same as serve --role worker')
    .action(async () => exitWith(await serve({ role: 'worker' })));
  longhand
    .command('transcribe')
    .description('transcribe a file on this machine')
    .argument('<file>', 'an audio or video file')
    .option('--format <format>', 'txt, srt, vtt or json', undefined)
    .option('--speakers', 'tell speakers apart')
    .option('--output <file>', 'write there instead of to standard output')
    .option(...json)
    .action(transcribe);
  accountCommands(longhand.command('account').description('accounts and their plans'));
  keyCommands(longhand.command('key').description('API keys'));
  modelCommands(longhand.command('models').description('speech models'));
  longhand
    .command('doctor')
    .description('check that everything Longhand needs is there')
    .option(...json)
    .action(async (options) => {
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
    .action(createAccount);
  account
    .command('list')
    .description('all accounts')
    .option(...json)
    .action(listAccounts);
  account
    .command('plan')
    .description('put an account on another plan')
    .argument('<id>')
    .argument('<plan>')
    .option(...json)
    .action(changePlan);
}

function keyCommands(key: Command): void {
  key
    .command('create')
    .description('make a key; it is shown once')
    .requiredOption('--account <id>', 'whose key it is')
    .option('--name <name>', 'what it is for')
    .option('--expires <time>', 'such as 12h, 90d or 8w')
    .option(...json)
    .action(createKey);
  key
    .command('list')
    .description("an account's keys")
    .requiredOption('--account <id>', 'whose keys')
    .option(...json)
    .action(listKeys);
  key
    .command('revoke')
    .description('stop a key at its next request')
    .argument('<id>', 'the id of the key, not the key itself')
    .option(...json)
    .action(revokeKey);
}

function modelCommands(models: Command): void {
  models
    .command('list')
    .description('installed and available models')
    .option(...json)
    .action(listModels);
  models
    .command('install')
    .description('fetch models, checked by their SHA-256')
    .argument('[ids...]')
    .option('--default', 'the models that Longhand needs to run')
    .option(...json)
    .action(installModels);
}

/** Whatever still holds the process after a service has stopped does not matter any more. */
function exitWith(code: number): never {
  process.exit(code);
}

/** Faults whose message was written for the person at the keyboard. */
function isForPeople(error: unknown): error is Error {
  return error instanceof StartError || error instanceof UsageError || error instanceof AccountError;
}

try {
  await program().parseAsync();
} catch (error) {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode;
  } else {
    const message = error instanceof Error ? error.message : String(error);
    process.stderr.write(`longhand: ${message}\n`);
    if (!isForPeople(error) && error instanceof Error) process.stderr.write(`${error.stack}\n`);
    process.exitCode = 1;
  }
}
