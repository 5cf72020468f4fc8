import { LonghandError } from './error.ts';
import { backoffMs, pause } from './pause.ts';
import type { Transport } from './transport.ts';
import type { TranscriptionEvent } from './type.ts';

/** Nothing for so long, not even a comment: the connection is dead. The service sends a comment every 15 s. */
const silenceMs = 45_000;

interface Frame {
  id: string | undefined;
  event: string;
  data: string;
}

/**
 * The events of a job until it ends. A stream that is cut is taken up again after the last part of the text that was
 * seen; it ends for good when there are `maxRetries` cuts in a row without an event.
 */
export async function* transcriptionEvents(
  transport: Transport,
  id: string,
  { signal, lastEventId = '0' }: { signal?: AbortSignal | undefined; lastEventId?: string },
): AsyncGenerator<TranscriptionEvent> {
  let seen = lastEventId;
  for (let cuts = 0; cuts <= transport.maxRetries; cuts += 1) {
    if (cuts > 0) await pause(backoffMs(cuts), signal);
    try {
      for await (const frame of frames(transport, id, seen, signal)) {
        seen = frame.id ?? seen;
        cuts = 0;
        yield { type: frame.event, data: JSON.parse(frame.data) } as TranscriptionEvent;
        if (frame.event === 'completed' || frame.event === 'failed') return;
      }
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof LonghandError && error.status >= 400 && error.status < 500 && error.status !== 429)
        throw error;
    }
  }
  throw new LonghandError('The stream was cut again and again.', { code: 'connection_failed' });
}

async function* frames(
  transport: Transport,
  id: string,
  lastEventId: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<Frame> {
  const silent = new AbortController();
  let timer = setTimeout(() => silent.abort(), silenceMs);
  try {
    const response = await transport.send('GET', `/api/v1/transcriptions/${encodeURIComponent(id)}/events`, {
      headers: { accept: 'text/event-stream', 'last-event-id': lastEventId },
      signal: signal ? AbortSignal.any([signal, silent.signal]) : silent.signal,
    });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let buffered = '';
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
      clearTimeout(timer);
      timer = setTimeout(() => silent.abort(), silenceMs);
      buffered += part.value;
      const whole = buffered.split('\n\n');
      buffered = whole.pop() ?? '';
      for (const text of whole) {
        const frame = frameOf(text);
        if (frame) yield frame;
      }
    }
  } finally {
    clearTimeout(timer);
    silent.abort();
  }
}

function frameOf(text: string): Frame | undefined {
  const fields = new Map(
    text.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
  );
  const data = fields.get('data');
  const id = fields.get('id');
  if (data === undefined) return undefined;
  return { event: fields.get('event') ?? 'message', data, id };
}
