/** OpenAI's call, over the same use cases, limits and streams as the REST API. */
import type { RoutesDeps } from '../http/routes.ts';
import type { Server } from '../http/server.ts';
import { BodySlots } from '../openai/json-body.ts';
import { openAiRoutes } from '../openai/routes.ts';
import { engineTranslates } from '../speech/engine.ts';
import type { Foundation } from './foundation.ts';

const jsonBodiesAtOnce = 4;

export function openOpenAiDoor(
  server: Server,
  { config, clock }: Pick<Foundation, 'config' | 'clock'>,
  { authenticator, limiter, uploads, transcriptions, transcriptionEvents }: RoutesDeps,
): void {
  const { feeds, streams } = transcriptionEvents;
  openAiRoutes(server, {
    authenticator,
    limiter,
    bodies: { ...uploads, jsonSlots: new BodySlots(jsonBodiesAtOnce) },
    transcriptions,
    canTranslate: engineTranslates(config.engine.name),
    ends: { feeds, clock, waitSeconds: config.openAiWaitSeconds },
    streams,
  });
}
