/** Subtitle files as somebody else's parser reads them. */
import assert from 'node:assert/strict';
import * as captions from 'media-captions';

interface ParsedCue {
  startTime: number;
  endTime: number;
  text: string;
}

/** Its published types can be resolved by a bundler only. */
const { parseText } = captions as unknown as {
  parseText(
    text: string,
    options: { type: 'srt' | 'vtt'; strict: true; errors: true },
  ): Promise<{ cues: ParsedCue[]; errors: Error[] }>;
};

export async function parsedSubtitles(text: string, type: 'srt' | 'vtt'): Promise<ParsedCue[]> {
  const { cues, errors } = await parseText(text, { type, strict: true, errors: true });
  assert.deepEqual(errors, []);
  return cues;
}
