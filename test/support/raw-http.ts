/** HTTP written by hand, for requests that no client library would send. */
import { once } from 'node:events';
import { connect } from 'node:net';
import type { Answer } from './api-client.ts';

const answerWithinMs = 20_000;

/** Sends the text as it is and reads until the service closes the connection: every answer that came. */
export async function sendRaw(
  url: string,
  text: string | Buffer,
  withinMs = answerWithinMs,
): Promise<Answer[]> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  socket.setTimeout(withinMs, () => socket.destroy(new Error('no answer in time')));
  socket.write(text);
  await once(socket, 'end');
  socket.end();
  return answersIn(Buffer.concat(chunks));
}

function answersIn(bytes: Buffer): Answer[] {
  const answers: Answer[] = [];
  let rest = bytes;
  while (rest.length > 0) {
    const headEnd = rest.indexOf('\r\n\r\n');
    if (headEnd < 0) throw new Error(`not an HTTP answer: ${rest.toString('latin1').slice(0, 200)}`);
    const [statusLine = '', ...lines] = rest.subarray(0, headEnd).toString('latin1').split('\r\n');
    const headers = new Headers(lines.map((line) => line.split(/:\s*(.*)/s, 2) as [string, string]));
    const bodyEnd = headEnd + 4 + Number(headers.get('content-length') ?? 0);
    const body = rest.subarray(headEnd + 4, bodyEnd).toString('utf8');
    answers.push({ status: Number(statusLine.split(' ')[1]), headers, body: body && JSON.parse(body) });
    rest = rest.subarray(bodyEnd);
  }
  return answers;
}
