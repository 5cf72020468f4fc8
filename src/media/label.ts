/** The job's `filename`: a short clean name from a link, a header or a title. */

const labelCharactersMax = 240;

/** From Content-Disposition when it names a file, else from the last part of the path, else the host. */
export function labelFromAnswer(url: URL, contentDisposition: string | undefined): string {
  return cleanLabel(dispositionFilename(contentDisposition) ?? '') || labelFromUrl(url);
}

export function labelFromUrl(url: URL): string {
  const last = url.pathname.split('/').findLast((part) => part !== '') ?? '';
  return cleanLabel(decoded(last)) || cleanLabel(url.hostname) || 'media';
}

/** No control characters, no marks that turn the text round, no path, one line, not too long. */
export function cleanLabel(text: string): string {
  const line = text
    .normalize('NFC')
    .replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029]/gu, ' ')
    .replace(/[\\/]+/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/^\.+\s*/, '');
  const characters = [...line];
  if (characters.length <= labelCharactersMax) return line;
  const extension = /\.[a-z0-9]{1,5}$/i.exec(line)?.[0] ?? '';
  const room = labelCharactersMax - 1 - extension.length;
  return `${characters.slice(0, room).join('').trimEnd()}…${extension}`;
}

/** RFC 6266: the encoded form wins over the plain one. */
function dispositionFilename(header: string | undefined): string | undefined {
  if (!header) return undefined;
  const encoded = /filename\*\s*=\s*(?:"\s*)?([\w-]+)'[^']*'([^;"\s]+)/i.exec(header);
  if (encoded) return decoded(encoded[2] ?? '', encoded[1]?.toLowerCase() === 'iso-8859-1');
  const quoted = /filename\s*=\s*"((?:\\.|[^"\\])*)"/i.exec(header)?.[1]?.replace(/\\(.)/g, '$1');
  const bare = /filename\s*=\s*([^";\s]+)/i.exec(header)?.[1];
  const plain = quoted ?? bare;
  // Headers arrive as Latin-1; most servers put UTF-8 into them.
  return plain === undefined ? undefined : decoded(utf8FromLatin1(plain));
}

function decoded(text: string, latin1 = false): string {
  try {
    if (!latin1) return decodeURIComponent(text);
  } catch {
    return text;
  }
  return text.replace(/%([0-9a-f]{2})/gi, (_all, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

function utf8FromLatin1(text: string): string {
  const bytes = Buffer.from(text, 'latin1');
  const asUtf8 = bytes.toString('utf8');
  return asUtf8.includes('\uFFFD') || bytes.toString('latin1') !== text ? text : asUtf8;
}
