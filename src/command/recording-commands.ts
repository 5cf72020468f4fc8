/** The options of the commands that can work on a server elsewhere. */
import type { Command } from 'commander';

const server = ['--server <url>', 'work on this server; also LONGHAND_SERVER, or "longhand login"'] as const;
const serverKey = [
  '--key <key>',
  'an API key of the server; LONGHAND_KEY or "longhand login" keep it out of sight',
] as const;
const local = ['--local', 'work on this machine, whatever server is known'] as const;
const transcribeExamples = `
Examples:
  longhand transcribe talk.mp3 --output talk.srt
  longhand transcribe meeting.mp4 --speakers
  longhand transcribe interviews/ *.m4a --output-dir texts
  longhand transcribe https://example.com/talk.mp3
  longhand transcribe --server https://longhand.example.com --from-file links.txt --output-dir texts
  ffmpeg -i video.mkv -f wav - | longhand transcribe -`;
const json = ['--json', 'one JSON object for programs'] as const;

export function recordingCommands(longhand: Command): void {
  transcribeCommand(longhand);
  watchCommand(longhand);
  longhand
    .command('mcp')
    .description(
      'agents (Model Context Protocol) over standard input and output, on a server or on this machine',
    )
    .option(...server)
    .option(...serverKey)
    .option(...local)
    .action(async (options) => (await import('./mcp.ts')).mcp(options));
  longhand
    .command('login')
    .description('remember a server and a key of it, for commands that can work on a server')
    .argument('<url>', 'such as https://longhand.example.com')
    .option('--key <key>', 'an API key; asked for when not given, or read from standard input')
    .option(...json)
    .action(async (url, options) => (await import('./server/login.ts')).login(url, options));
  longhand
    .command('logout')
    .description('forget the server and its key')
    .option(...json)
    .action(async (options) => (await import('./server/login.ts')).logout(options));
}

function transcribeCommand(longhand: Command): void {
  longhand
    .command('transcribe')
    .description('transcribe files, folders or links, on this machine or on a server')
    .argument(
      '[sources...]',
      'audio or video files, folders of them, patterns, public links, or - for standard input',
    )
    .option('--from-file <file>', 'more sources, one to a line; - for standard input')
    .option('--format <format>', 'txt, srt, vtt or json; else by the name of --output, else txt')
    .option('--speakers', 'tell speakers apart')
    .option(
      '--speaker-count <count>',
      'how many people speak, such as 2 or 2-4; implies --speakers; not on a server',
    )
    .option('--language <code>', 'the language spoken, such as en; found out when not given; not on a server')
    .option(
      '--keywords <list>',
      'names and terms that are likely to be spoken, with commas between; not on a server',
    )
    .option('--verbatim', 'leave numbers in words where they were recognised so; not on a server')
    .option('--output <file>', 'write there instead of to standard output')
    .option('--output-dir <folder>', 'write each transcript there, named after its recording')
    .option('--parallel <count>', 'how many recordings at once; on a server 4 unless told')
    .option('--follow', 'show the text while it is made')
    .option('--again', 'on a server: anew, also what an earlier run has sent or done')
    .option(...server)
    .option(...serverKey)
    .option(...local)
    .option('--json', 'JSON on standard output: the transcript, or where the transcripts are')
    .addHelpText('after', transcribeExamples)
    .action(async (sources, options) => {
      const { transcribe } = await import('./transcribe/transcribe.ts');
      if (!(await transcribe(sources, options))) process.exitCode = 1;
    });
}

function watchCommand(longhand: Command): void {
  longhand
    .command('watch')
    .description('transcribe recordings as they arrive in a folder, on this machine or on a server')
    .argument('<folder>')
    .option('--format <format>', 'txt, srt, vtt or json; txt unless told')
    .option('--output-dir <folder>', 'lay transcripts there instead of beside the recordings')
    .option('--speakers', 'tell speakers apart')
    .option('--speaker-count <count>', 'how many people speak; implies --speakers; not on a server')
    .option('--language <code>', 'the language spoken, such as en; not on a server')
    .option('--keywords <list>', 'names and terms that are likely to be spoken; not on a server')
    .option('--verbatim', 'leave numbers in words where they were recognised so; not on a server')
    .option('--parallel <count>', 'how many recordings at once')
    .option('--settle <seconds>', 'take a recording that has not changed for so long; 5 unless told')
    .option('--retry-failed', 'try again what failed before')
    .option(...server)
    .option(...serverKey)
    .option(...local)
    .option('--json', 'one JSON object to a line for each recording that ends')
    .action(async (folder, options) => (await import('./watch/watch.ts')).watch(folder, options));
}

export function listenCommand(webhook: Command): void {
  webhook
    .command('listen')
    .description(
      'receive deliveries on this machine, verify and print them; subscribes at a server unless told a secret',
    )
    .option('--port <port>', 'where to listen on 127.0.0.1; 8090 unless told')
    .option('--secret <secret>', 'the signing secret of a subscription that exists')
    .option('--url <url>', 'where the server reaches this receiver, such as the address of a tunnel')
    .option(...server)
    .option(...serverKey)
    .option('--json', 'one JSON object to a line for each delivery')
    .action(async (options) => (await import('./webhook-listen.ts')).listenForWebhooks(options));
}
