/** Having a passage of a finished transcript recognised again. */
import { z } from 'zod';
import { languageCodes } from '../language.ts';
import { lineId, webPath, webRequest } from './web-request.ts';

export const rerunSecondsMax = 600;
export const rerunLinesMax = 200;

export const rerunPath = webPath(z.object({ id: z.guid(), rerun: z.guid() }));

export const rerunBody = webRequest(
  z.object({
    lines: z
      .array(z.object({ id: lineId, base: z.int().positive() }))
      .min(1)
      .max(rerunLinesMax),
    language: z.enum(languageCodes).nullable(),
    engine: z.string().max(100).nullable(),
  }),
);

export function requestRerunCommand({ lines, language, engine }: z.infer<typeof rerunBody>) {
  return { lines: lines.map(({ id, base }) => ({ id, revision: base })), language, engine };
}

interface RerunFields {
  id: string;
  status: string;
  lines: readonly { id: string }[];
  language: string | null;
  progress: number | null;
  failure: string | null;
  revision: number | null;
}

export function rerunOnWire({ id, status, lines, language, progress, failure, revision }: RerunFields) {
  return { id, status, line_ids: lines.map((line) => line.id), language, progress, failure, revision };
}

interface RerunChoicesFields {
  isKept: boolean;
  engines: readonly { id: string; title: string; languages: readonly string[] }[];
}

export function rerunChoicesOnWire({ isKept, engines }: RerunChoicesFields) {
  const limits = { seconds_max: rerunSecondsMax, lines_max: rerunLinesMax };
  return { is_kept: isKept, engines, languages: languageCodes, ...limits };
}
