import type { Service } from '../service/service.ts';

type Start = Pick<Service, 'url' | 'keys' | 'missing'>;

/** What a start says on standard output. Where nothing is missing, its last line is the promise that scripts wait for. */
export function startLines(start: Start): string[] {
  const { url, missing } = start;
  if (missing.length === 0) return [...keyLines(start), readyLine(start)];
  const name = url === undefined ? 'Longhand worker runs' : `Longhand listens at ${url}`;
  return [
    ...keyLines(start),
    'What is missing:',
    ...missing.map((one) => `  ${one.name}: ${one.text}`),
    `${name}, but jobs cannot run yet.`,
  ];
}

export function readyLine({ url }: Pick<Start, 'url'>): string {
  return url === undefined ? 'Longhand worker is ready' : `Longhand is ready at ${url}`;
}

function keyLines({ url, keys }: Start): string[] {
  if (keys.kind === 'none') return ['No API key can be used yet. Make one with: npx longhand key create', ''];
  if (keys.kind !== 'unused') return [];
  return [
    '',
    ...(keys.signIn ? [`  Open           ${url}${keys.signIn.path}`] : []),
    `  Your API key   ${keys.key}`,
    `                 ${shown(keys)}`,
    `  Reference      ${url}/docs`,
    `  Try it         curl -H "Authorization: Bearer ${keys.key}" ${url}/api/v1/transcriptions`,
    '',
  ];
}

function shown({ isKept, signIn }: Extract<Start['keys'], { kind: 'unused' }>): string {
  if (!isKept) return 'shown only this once';
  return signIn ? 'both are shown at every start until one is used' : 'shown at every start until it is used';
}
