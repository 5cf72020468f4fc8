/** The special tokens of a Whisper model, from its generation_config.json. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

const generationSchema = z.object({
  alignment_heads: z.array(z.tuple([z.number(), z.number()])),
  begin_suppress_tokens: z.array(z.number()),
  decoder_start_token_id: z.number(),
  eos_token_id: z.number(),
  lang_to_id: z.record(z.string(), z.number()),
  no_timestamps_token_id: z.number(),
  suppress_tokens: z.array(z.number()),
  task_to_id: z.object({ transcribe: z.number(), translate: z.number() }),
});

export type GenerationConfig = z.infer<typeof generationSchema>;

export async function readGenerationConfig(directory: string): Promise<GenerationConfig> {
  return generationSchema.parse(
    JSON.parse(await readFile(join(directory, 'generation_config.json'), 'utf8')),
  );
}

export function languageTokens({ lang_to_id }: GenerationConfig): Map<string, number> {
  return new Map(Object.entries(lang_to_id).map(([token, id]) => [token.slice(2, -2), id]));
}
