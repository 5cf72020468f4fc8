/** Server-sent events as any client would read them. */
export interface StreamEvent {
  id: string | undefined;
  name: string;
  // biome-ignore lint/suspicious/noExplicitAny: a client sees whatever JSON there is, and the tests assert its shape.
  data: any;
}

/** Reads events until the server ends the stream or the reader leaves. Comments and retry lines are passed over. */
export async function* streamEvents(response: Response): AsyncGenerator<StreamEvent> {
  let buffered = '';
  if (!response.body) throw new Error('the answer has no body');
  for await (const part of response.body.pipeThrough(new TextDecoderStream())) {
    buffered += part;
    for (let end = buffered.indexOf('\n\n'); end >= 0; end = buffered.indexOf('\n\n')) {
      const event = eventIn(buffered.slice(0, end));
      buffered = buffered.slice(end + 2);
      if (event) yield event;
    }
  }
}

function eventIn(frame: string): StreamEvent | undefined {
  const field = (name: string) =>
    frame
      .split('\n')
      .find((line) => line.startsWith(`${name}: `))
      ?.slice(name.length + 2);
  const data = field('data');
  return data === undefined
    ? undefined
    : { id: field('id'), name: field('event') ?? 'message', data: JSON.parse(data) };
}
