/** Every route below `/web` with a request that would be right, and whose things it gives. */

/** `mine`: what the account has. `thing`: the one that is named. `shared`: what a link opens. */
export type RouteKind = 'open' | 'mine' | 'thing' | 'operator' | 'shared';

export interface WebRoute {
  method: string;
  /** As it is registered. */
  url: string;
  kind: RouteKind;
  query?: string;
  body?: unknown;
}

const route = (kind: RouteKind, method: string, url: string, more: Partial<WebRoute> = {}): WebRoute => ({
  method,
  url,
  kind,
  ...more,
});
const job = '/web/transcriptions/:id';
const changes = [
  { id: 'new', base: null, deleted: false, start_ms: 0, end_ms: 1, text: 'hers', speaker: null },
];
const imported = { format: 'json', content: '{"segments":[{"start":0,"end":1,"text":"hers"}]}' };
const replacement = { find: 'a', replacement: 'b', match_case: false, whole_words: false };

export const webRouteTable: readonly WebRoute[] = [
  route('open', 'GET', '/web/session'),
  route('open', 'POST', '/web/session', { body: { token: 'x' } }),
  route('mine', 'GET', '/web/sessions'),
  route('thing', 'DELETE', '/web/sessions/:id'),
  route('mine', 'GET', '/web/library'),
  route('mine', 'GET', '/web/library/changes', { query: '?after=0&ids=' }),
  route('thing', 'GET', '/web/library/:id'),
  route('thing', 'PATCH', '/web/library/:id', { body: { name: 'hers' } }),
  route('thing', 'DELETE', '/web/library/:id'),
  route('thing', 'GET', `${job}/transcript`),
  route('thing', 'GET', `${job}/words`, { query: '?from_ms=0&to_ms=9000' }),
  route('thing', 'GET', `${job}/peaks`),
  route('thing', 'GET', `${job}/media`),
  route('thing', 'GET', `${job}/export`, { query: '?format=txt' }),
  route('thing', 'GET', `${job}/edition`, { query: '?since=0' }),
  route('thing', 'POST', `${job}/edition/changes`, { body: { changes } }),
  route('thing', 'POST', `${job}/edition/replace`, { body: replacement }),
  route('thing', 'POST', `${job}/edition/shift`, { body: { by_ms: 1, from_ms: 0, to_ms: null } }),
  route('thing', 'POST', `${job}/edition/import`, { body: imported }),
  route('thing', 'POST', `${job}/edition/name`, { body: { speaker: '0', name: 'Eve' } }),
  route('thing', 'POST', `${job}/edition/merge`, { body: { from: '0', into: '1' } }),
  route('thing', 'PUT', `${job}/edition/published`),
  route('thing', 'DELETE', `${job}/edition/published`),
  route('thing', 'GET', `${job}/reruns`),
  route('thing', 'GET', `${job}/reruns/choices`),
  route('thing', 'POST', `${job}/reruns`, {
    body: { lines: [{ id: 'm000000', base: 1 }], language: 'de', engine: null },
  }),
  route('thing', 'DELETE', `${job}/reruns/:rerun`),
  route('thing', 'GET', `${job}/shares`),
  route('thing', 'POST', `${job}/shares`, { body: { days: 1 } }),
  route('thing', 'DELETE', `${job}/shares/:share`),
  route('shared', 'GET', '/web/shared/:token/transcript'),
  route('shared', 'GET', '/web/shared/:token/words', { query: '?from_ms=0&to_ms=9000' }),
  route('shared', 'GET', '/web/shared/:token/peaks'),
  route('shared', 'GET', '/web/shared/:token/media'),
  route('mine', 'GET', '/web/search', { query: '?query=said' }),
  route('mine', 'GET', '/web/keys'),
  route('mine', 'POST', '/web/keys', { body: { name: 'x', expires_in_days: null } }),
  route('thing', 'DELETE', '/web/keys/:id'),
  route('mine', 'GET', '/web/webhook-deliveries'),
  route('thing', 'POST', '/web/webhook-deliveries/:delivery/replay'),
  route('thing', 'POST', '/web/webhook-subscriptions/:id/test'),
  route('mine', 'GET', '/web/usage'),
  route('operator', 'GET', '/web/operator'),
  route('operator', 'POST', '/web/operator/accounts', { body: { name: 'x', plan: 'pro' } }),
  route('operator', 'PATCH', '/web/operator/accounts/:id', { body: { plan: 'pro' } }),
  route('operator', 'POST', '/web/operator/accounts/:id/signin'),
  // Last: it ends the session.
  route('mine', 'DELETE', '/web/session'),
];

/** The address of a route, with the ids of things by the word that stands before them in it. */
export function addressOf({ url, query = '' }: WebRoute, ids: Readonly<Record<string, string>>): string {
  const some = '5b6f3ba4-3d6e-4c53-9a2a-2f5a2b0f9d11';
  return url.replace(/([\w-]+)\/:\w+/g, (_, kind: string) => `${kind}/${ids[kind] ?? some}`) + query;
}
