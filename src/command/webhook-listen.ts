/** `longhand webhook listen`: a receiver on a developer's machine that verifies deliveries and prints them. */
import { once } from 'node:events';
import fastify, { type FastifyInstance } from 'fastify';
import { type Longhand, LonghandError, verifyWebhook, type WebhookEvent } from '#longhand-client';
import { commandContext } from './command-context.ts';
import { CommandFailure } from './command-failure.ts';
import { interruption } from './interruption.ts';
import { wholeNumber } from './option-value.ts';
import { type ServerOptions, serverAddress } from './server/server-address.ts';
import { verifiedClient } from './server/server-client.ts';
import { UsageError } from './usage-error.ts';

export interface ListenOptions extends ServerOptions {
  port?: string;
  secret?: string;
  url?: string;
  json?: boolean;
}

const defaultPort = 8090;
const host = '127.0.0.1';
/** Deliveries come at least once; so many ids are remembered to tell a repetition. */
const knownIdsMax = 1_000;

export async function listenForWebhooks(options: ListenOptions): Promise<void> {
  const port = wholeNumber('--port', options.port, { min: 0, max: 65_535, otherwise: defaultPort });
  const { config } = commandContext();
  if (options.secret !== undefined && !/^whsec_./.test(options.secret))
    throw new UsageError('--secret must be a signing secret, which begins with whsec_.');
  if (options.secret !== undefined && options.url !== undefined)
    throw new UsageError('--url makes a subscription, which has a secret of its own: leave out --secret.');
  const server = options.secret === undefined ? await serverAddress(options, config.client) : undefined;
  if (options.secret === undefined && !server)
    throw new UsageError(
      'Give --secret, or a server on which to subscribe with --server, LONGHAND_SERVER or "longhand login".',
    );
  const interrupted = interruption();
  const secrets = options.secret === undefined ? [] : [options.secret];
  const receiver = openReceiver(secrets, options);
  const address = await listening(receiver, port);
  try {
    if (!server) {
      greet(address, options);
      await once(interrupted, 'abort');
      return;
    }
    const client = await verifiedClient(server, interrupted);
    const { id, signing_secret } = await subscribed(client, options.url ?? address);
    try {
      secrets.push(signing_secret);
      greet(address, options, `Subscribed at ${server.url} as ${id}; the subscription goes when this ends.`);
      if (!interrupted.aborted) await once(interrupted, 'abort');
    } finally {
      await client.webhooks.delete(id);
    }
  } finally {
    await receiver.close();
  }
}

/** Answers 204 to what is genuine and 400 to what is not. */
function openReceiver(secrets: readonly string[], options: ListenOptions): FastifyInstance {
  const receiver = fastify({ logger: false, forceCloseConnections: true });
  const known = new Set<string>();
  receiver.removeAllContentTypeParsers();
  receiver.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  receiver.post('/*', async (request, reply) => {
    try {
      const body = new Uint8Array(request.body as Buffer);
      const event = await verifyWebhook(body, request.headers, { secret: secrets });
      const isRepeated = known.has(event.id);
      if (known.size >= knownIdsMax) known.clear();
      known.add(event.id);
      print(event, isRepeated, options);
      return reply.code(204).send();
    } catch (error) {
      const reason = error instanceof LonghandError ? error.message : 'It cannot be read.';
      if (options.json) process.stdout.write(`${JSON.stringify({ event: null, error: reason })}\n`);
      else process.stderr.write(`longhand: ${reason}\n`);
      return reply.code(400).send();
    }
  });
  return receiver;
}

async function listening(receiver: FastifyInstance, port: number): Promise<string> {
  try {
    return `${await receiver.listen({ host, port })}/`;
  } catch (error) {
    throw new CommandFailure(`Port ${port} cannot be used: choose another with --port.`, { cause: error });
  }
}

async function subscribed(client: Longhand, url: string) {
  try {
    return await client.webhooks.create({
      url,
      events: ['transcription.completed', 'transcription.failed'],
    });
  } catch (error) {
    const isRefused = error instanceof LonghandError && error.code === 'invalid_webhook_url';
    const { host: target } = new URL(url);
    const advice = isRefused
      ? ` It delivers to public https addresses: start it with LONGHAND_EGRESS_ALLOW=${target}, or give the address of a tunnel with --url.`
      : '';
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandFailure(`The server does not deliver to ${url}: ${reason}${advice}`, { cause: error });
  }
}

function greet(address: string, { json }: ListenOptions, more?: string): void {
  const lines = [...(more === undefined ? [] : [more]), `Listening at ${address}. Ctrl-C ends it.`];
  if (!json) process.stderr.write(`${lines.join('\n')}\n`);
}

function print(event: WebhookEvent, isRepeated: boolean, { json }: ListenOptions): void {
  if (json) {
    process.stdout.write(`${JSON.stringify({ event, repeated: isRepeated, error: null })}\n`);
    return;
  }
  const { filename, duration_seconds: seconds, resource_url } = event.data;
  const length = seconds === null ? '' : `  ${seconds} s`;
  const again = isRepeated ? '  (again)' : '';
  process.stdout.write(`${event.created_at}  ${event.type}  ${filename}${length}  ${resource_url}${again}\n`);
}
