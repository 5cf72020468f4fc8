import type { Service } from '../service/service.ts';

/** What a start says on standard output. Its last line is the promise that scripts wait for. */
export function startLines({ url, keys }: Pick<Service, 'url' | 'keys'>): string[] {
  if (url === undefined) return ['Longhand worker is ready'];
  return [...keyLines(url, keys), `Longhand is ready at ${url}`];
}

function keyLines(url: string, keys: Service['keys']): string[] {
  if (keys.kind === 'none') return ['No API key can be used yet. Make one with: npx longhand key create', ''];
  if (keys.kind !== 'unused') return [];
  return [
    '',
    `  Your API key   ${keys.key}`,
    `                 ${keys.isKept ? 'shown at every start until it is used' : 'shown only this once'}`,
    `  Reference      ${url}/docs`,
    `  Try it         curl -H "Authorization: Bearer ${keys.key}" ${url}/api/v1/transcriptions`,
    '',
  ];
}
