import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { WhisperModel } from '../../src/speech/recognizer/whisper/whisper-model.ts';
import { floatSamples } from '../../src/timeline/pcm-samples.ts';
import { fixtureSamples } from '../support/audio.ts';
import { modelsDirectory } from '../support/speech.ts';

test('hypotheses that share the audio are each decoded as if alone', async () => {
  const model = await WhisperModel.load(join(modelsDirectory, 'whisper-base'));
  const { start, languages, transcribe } = model.vocabulary;
  const samples = floatSamples(await fixtureSamples('austen-880.flac'));
  const first = await model.decoderAfter(samples, [start]);
  const [english = 0, german = 0] = [languages.get('en'), languages.get('de')];
  // Rows change places on the way: each has to keep its own tokens.
  const together = await (await first.next([english, german], [0, 0])).next([transcribe, transcribe], [1, 0]);
  for (const [row, language] of [german, english].entries()) {
    const alone = (await (await first.next([language], [0])).next([transcribe], [0])).rows[0];
    const [own, other] = [together.rows[row], together.rows[1 - row]];
    assert.ok(alone && own && other);
    // Not the same to the bit: activations are rounded to 8 bits with one scale for all rows.
    assert.ok(cosine(own.logits, alone.logits) > 0.98, `logits of row ${row}`);
    assert.ok(cosine(own.logits, alone.logits) > cosine(other.logits, alone.logits));
    for (const [head, attention] of alone.attentions.entries())
      assert.ok(cosine(own.attentions[head], attention) > 0.99, `attention ${head} of row ${row}`);
    assert.equal(own.attentions.length, alone.attentions.length);
  }
  await model.release();
});

function cosine(one: Float32Array | undefined, other: Float32Array): number {
  let [product, squares, otherSquares] = [0, 0, 0];
  for (const [i, value] of other.entries()) {
    product += value * (one?.[i] ?? 0);
    squares += (one?.[i] ?? 0) ** 2;
    otherSquares += value ** 2;
  }
  return product / Math.sqrt(squares * otherSquares);
}
