/** The transcript as a page, for hosts that show pages (MCP Apps). Everything else about it is in transcript.html. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ReadResourceResult, Resource } from '@modelcontextprotocol/server';

export const playerUri = 'ui://longhand/transcript.html';
export const uiExtension = 'io.modelcontextprotocol/ui';
const mimeType = 'text/html;profile=mcp-app';

export const playerResource: Resource = {
  uri: playerUri,
  name: 'transcript page',
  title: 'Transcript with times and speakers',
  mimeType,
};

let page: string | undefined;

export function readPlayer(): ReadResourceResult {
  page ??= guardedPage(readFileSync(join(import.meta.dirname, 'transcript.html'), 'utf8'));
  // Nothing from anywhere: the transcript comes through the host.
  const csp = { connectDomains: [], resourceDomains: [] };
  return {
    contents: [{ uri: playerUri, mimeType, text: page, _meta: { ui: { csp, prefersBorder: true } } }],
  };
}

/** Exactly its own script and style may run, whatever is said in a transcript. */
function guardedPage(html: string): string {
  const hashOf = (tag: string) => {
    const content = new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`).exec(html)?.[1] ?? '';
    return `'sha256-${createHash('sha256').update(content).digest('base64')}'`;
  };
  const policy = `default-src 'none'; script-src ${hashOf('script')}; style-src ${hashOf('style')}; base-uri 'none'; form-action 'none'`;
  return html.replace('%CSP%', policy);
}
