import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyServerOptions } from 'fastify';
import { ApiError, type ErrorCode } from '../contract/errors.ts';

type ClientErrorHandler = NonNullable<FastifyServerOptions['clientErrorHandler']>;
type ConnectionError = Parameters<ClientErrorHandler>[0];
type Socket = Parameters<ClientErrorHandler>[1];

/** For the client to read the answer and close; then the connection goes. */
const lingerMs = 5_000;

const codeOfFault: Record<string, ErrorCode> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'request_too_large',
};

const reasonPhrases: Record<number, string> = {
  400: 'Bad Request',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  413: 'Content Too Large',
  431: 'Request Header Fields Too Large',
};

/** The answer of a socket to its last request, while it is being made. */
const openAnswers = new WeakMap<object, ServerResponse>();
const refusedSockets = new WeakSet<object>();

/**
 * What cannot be read as an HTTP request never becomes one for the framework: it is answered here, in the envelope of
 * every error, and the connection closed, since nobody knows where the next request would begin.
 */
export function answerParserError({ code }: ConnectionError, socket: Socket): void {
  if (code === 'ECONNRESET' || !socket.writable || refusedSockets.has(socket)) return;
  refusedSockets.add(socket);
  const error = new ApiError(codeOfFault[code] ?? 'malformed_request');
  const open = openAnswers.get(socket);
  if (!open || open.writableFinished) refuse(socket, error);
  // An earlier request on the same connection gets its own answer first.
  else if (open.req.complete) open.once('finish', () => refuse(socket, error));
  else if (open.headersSent) socket.destroy();
  else refuse(socket, error);
}

/** Requests for which Node would answer by itself, outside the envelope, or not at all. */
export function answerUnusualRequests({ server }: FastifyInstance): void {
  server.prependListener('request', (request: IncomingMessage, answer: ServerResponse) => {
    openAnswers.set(request.socket, answer);
  });
  // An expectation that we do not know may be ignored (RFC 9110, 10.1.1).
  server.on('checkExpectation', (request: IncomingMessage, answer: ServerResponse) => {
    server.emit('request', request, answer);
  });
  server.on('connect', (_request: IncomingMessage, socket: Socket) => {
    refuse(socket, new ApiError('method_not_allowed', { headers: { allow: 'GET, HEAD, POST, DELETE' } }));
  });
}

function refuse(socket: Socket, { status, code, message, headers }: ApiError): void {
  const body = JSON.stringify({ error: { code, message } });
  const lines = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    'cache-control': 'no-store',
    'x-request-id': randomUUID(),
    ...headers,
    connection: 'close',
  };
  const head = Object.entries(lines).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.setTimeout(lingerMs, () => socket.destroy());
  socket.end(`HTTP/1.1 ${status} ${reasonPhrases[status]}\r\n${head.join('')}\r\n${body}`);
}
