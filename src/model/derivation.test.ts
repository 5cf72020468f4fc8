import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { smallDecoder, smallEncoder } from '../../test/support/small-whisper.ts';
import { crossAttentionOutputs } from './cross-attention-outputs.ts';
import { int8OutputProjection } from './int8-output-projection.ts';
import { languageDecoder } from './language-decoder.ts';
import { llamaTokens } from './llama-tokens.ts';
import type { Derivation } from './model.ts';
import { tenSecondEncoder } from './ten-second-encoder.ts';

/** By code that gave the hashes in the manifest: what differs from these would refuse every installation. */
const expected: Record<Derivation, string> = {
  'int8-output-projection': 'c738bbb4b8cca0810183be5124e0418c24d00996f7884271abad0510a15deef6',
  'cross-attention-outputs': '9868df3d584fc5f5a27923cd98f645568a79b41e340e8fdcf343c426b4aadc86',
  'ten-second-encoder': 'eb5e0f40e5302a0598339d0cd7b7643cb07d9896bd20c63ce06b0c7aee150ec2',
  'language-decoder': '4f88136d08ea9c29828268d44d005a776af99abdf0390be2f2b235332d40d7d7',
  'llama-tokens': '222cac6d6063ecfd647ba58be67088fa1efebef6054714161fb8ea898905e0df',
};

const derived: Record<Derivation, () => Buffer> = {
  'int8-output-projection': () => int8OutputProjection(smallDecoder({ tokens: 96, width: 32 })),
  'cross-attention-outputs': () =>
    crossAttentionOutputs(int8OutputProjection(smallDecoder({ tokens: 96, width: 32, attention: true }))),
  'ten-second-encoder': () => tenSecondEncoder(smallEncoder({ positions: 1500, width: 4 })),
  'language-decoder': () => languageDecoder(int8OutputProjection(smallDecoder({ tokens: 51_865, width: 2 }))),
  'llama-tokens': () => {
    const vocabulary = Buffer.from('<unk>\n<0x0A>\n▁the\n').toString('base64');
    return llamaTokens(`const llama_vocab_base64 = "${vocabulary}"`);
  },
};

for (const [name, write] of Object.entries(derived) as [Derivation, () => Buffer][]) {
  test(`${name} writes the same file to the byte as when its hash was taken`, () => {
    assert.equal(createHash('sha256').update(write()).digest('hex'), expected[name]);
  });
}
