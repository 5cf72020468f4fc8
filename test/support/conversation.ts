/** A recording of several lines: sentences of test/fixtures with pauses between them, as a WAV file. */
import { fixtureSamples, silence } from './audio.ts';
import { wavOf } from './wav-bytes.ts';

const clips = ['austen-870.flac', 'austen-880.flac', 'austen-930.flac'];

/** About nine seconds for each round. */
export async function conversationWav(rounds = 2): Promise<Buffer> {
  const samples = await Promise.all(clips.map(fixtureSamples));
  const pause = silence(2.5);
  const once = samples.flatMap((one) => [one, pause]);
  return wavOf(Buffer.concat(Array.from({ length: rounds }, () => once).flat()));
}
