/** The job's `filename`: a short clean name from a link, a header or a title. */
import { decodeExtended, parse } from 'content-disposition';
import { labelOf } from '../contract/label.ts';

const readCharactersMax = 4_096;

/** From Content-Disposition when it names a file, else from the last part of the path, else the host. */
export function labelFromAnswer(url: URL, contentDisposition: string | undefined): string {
  return cleanLabel(dispositionFilename(contentDisposition) ?? '') || labelFromUrl(url);
}

export function labelFromUrl(url: URL): string {
  const last = url.pathname.split('/').findLast((part) => part !== '') ?? '';
  return cleanLabel(unescaped(last)) || cleanLabel(url.hostname) || 'media';
}

/** What the job is called until its source has been opened: a pure guess from the link. */
export function labelOfSource(sourceUrl: string): string {
  const url = URL.parse(sourceUrl);
  return url ? labelFromUrl(url) : 'media';
}

/** Fit to be shown, on one line. A stroke in a title is part of it, not a path. */
export function cleanLabel(text: string): string {
  // A title may be megabytes long.
  const line = text
    .slice(0, readCharactersMax)
    .replace(/[\\/\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .replace(/^[\s.]+/, '');
  return labelOf(line, '').trim();
}

/** The encoded form wins over the plain one. */
function dispositionFilename(header: string | undefined): string | undefined {
  if (!header) return undefined;
  const { filename, 'filename*': encoded } = parse(header).parameters;
  if (filename === undefined) return encoded === undefined ? undefined : decodeExtended(encoded);
  // Headers arrive as Latin-1; most servers put UTF-8 into them, and some escape it as in a URL.
  return encoded === undefined ? unescaped(utf8FromLatin1(filename)) : filename;
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function utf8FromLatin1(text: string): string {
  const bytes = Buffer.from(text, 'latin1');
  const asUtf8 = bytes.toString('utf8');
  return asUtf8.includes('\uFFFD') || bytes.toString('latin1') !== text ? text : asUtf8;
}
