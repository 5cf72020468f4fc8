import type { PageInfo } from './page-failure.ts';

/** Fields of a description by which a page could steer the tool that downloads: what it sends, and how. */
const steeringFields: ReadonlySet<string> = new Set([
  ...['http_headers', 'cookies', 'downloader_options', 'proxy', 'http_proxy', 'source_address'],
  ...['requested_formats', 'requested_downloads', 'requested_subtitles', 'postprocessors'],
]);
const depthMax = 32;

/**
 * The description as it may go back to the tool: no header of a page's choosing, no private field of the tool
 * itself, and no fragment on any address, because the tool reads options from there.
 */
export function scrubbedInfo(info: PageInfo): PageInfo {
  return scrubbed(info, 0) as PageInfo;
}

function scrubbed(value: unknown, depth: number): unknown {
  if (depth > depthMax) return undefined;
  if (typeof value === 'string') return /^[a-z][a-z0-9+.-]*:/i.test(value) ? value.split('#', 1)[0] : value;
  if (Array.isArray(value)) return value.map((item) => scrubbed(item, depth + 1));
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([name]) => !steeringFields.has(name) && !name.startsWith('__'));
  return Object.fromEntries(kept.map(([name, item]) => [name, scrubbed(item, depth + 1)]));
}
