/** OpenAI's call, over the same use cases, limits and streams as the REST API. */
import type { RoutesDeps } from '../http/routes.ts';
import type { Server } from '../http/server.ts';
import { BodySlots } from '../openai/body-slots.ts';
import { openAiRoutes } from '../openai/routes.ts';
import { engineTranslates } from '../speech/engine.ts';
import type { Foundation } from './foundation.ts';

/** A recording in JSON takes up to 130 MB of memory while it is read. */
const jsonBodies = {
  total: 4,
  perAccount: 2,
  advice: 'Try again in a moment, or send the file as multipart/form-data.',
};
/** The fields beside a file take up to 16 MB. */
const formBodies = { total: 256, perAccount: 32, advice: 'Try again in a moment.' };

export function addOpenAi(
  server: Server,
  { config, clock }: Pick<Foundation, 'config' | 'clock'>,
  { authenticator, limiter, uploads, transcriptions, transcriptionEvents }: RoutesDeps,
): void {
  const { feeds, streams } = transcriptionEvents;
  openAiRoutes(server, {
    authenticator,
    limiter,
    bodies: {
      ...uploads,
      jsonSlots: new BodySlots(jsonBodies),
      formSlots: new BodySlots(formBodies),
    },
    transcriptions,
    canTranslate: engineTranslates(config.engine.name),
    ends: { feeds, clock, waitSeconds: config.openAiWaitSeconds },
    streams,
  });
}
