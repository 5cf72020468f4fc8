/** Which names and MIME types we take as audio or video. The bytes have the last word (magic.ts, then the decoder). */

export const audioExtensions: Record<string, string> = {
  mp3: 'audio/mpeg',
  mpga: 'audio/mpeg',
  mp2: 'audio/mpeg',
  m4a: 'audio/mp4',
  m4b: 'audio/mp4',
  aac: 'audio/aac',
  wav: 'audio/wav',
  flac: 'audio/flac',
  ogg: 'audio/ogg',
  oga: 'audio/ogg',
  opus: 'audio/ogg',
  wma: 'audio/x-ms-wma',
  aif: 'audio/aiff',
  aiff: 'audio/aiff',
  amr: 'audio/amr',
  caf: 'audio/x-caf',
  au: 'audio/basic',
  ac3: 'audio/ac3',
  mka: 'audio/x-matroska',
  weba: 'audio/webm',
};

export const videoExtensions: Record<string, string> = {
  mp4: 'video/mp4',
  m4v: 'video/mp4',
  mov: 'video/quicktime',
  mkv: 'video/x-matroska',
  webm: 'video/webm',
  avi: 'video/x-msvideo',
  mpg: 'video/mpeg',
  mpeg: 'video/mpeg',
  '3gp': 'video/3gpp',
  '3g2': 'video/3gpp2',
  flv: 'video/x-flv',
  wmv: 'video/x-ms-wmv',
  ts: 'video/mp2t',
  mts: 'video/mp2t',
  m2ts: 'video/mp2t',
  ogv: 'video/ogg',
};

const typeOfExtension = new Map(Object.entries({ ...audioExtensions, ...videoExtensions }));

/** Every extension we take, without the dot. */
export const acceptedExtensions: readonly string[] = [...typeOfExtension.keys()];

/** Other names that browsers, phones and servers give to the same families. */
const otherNames = [
  ...['mp3', 'mpeg3', 'x-mpeg', 'x-mpeg-3', 'x-mp3', 'mpg', 'x-mpg', 'mp2', 'x-mp2', 'mpa'],
  ...['m4a', 'x-m4a', 'm4b', 'x-m4b', 'mp4a-latm', 'aacp', 'x-aac', 'x-hx-aac-adts', 'vnd.dlna.adts'],
  ...['x-wav', 'wave', 'vnd.wave', 'x-pn-wav', 'x-flac', 'opus', 'vorbis', 'x-vorbis', 'x-vorbis+ogg'],
  ...['x-opus+ogg', 'x-flac+ogg', 'x-speex', 'speex', 'x-ogg', 'wma', 'x-aiff', 'x-aifc', 'amr-wb', 'x-amr'],
  ...['3gpp', '3gpp2', 'caf', 'au', 'x-au', 'x-basic', 'snd', 'x-ac3', 'eac3', 'vnd.dolby.dd-raw'],
  ...['matroska'],
].map((name) => `audio/${name}`);

const otherVideoNames = [
  ...['mpeg4', 'x-m4v', 'mp4v-es', 'x-quicktime', 'matroska', 'avi', 'msvideo', 'vnd.avi', 'x-mpeg', 'mpg'],
  ...['x-mpg', 'mp1s', 'mp2p', 'x-mpeg2', 'flv', 'x-ms-asf', 'x-ms-wm', 'vnd.dlna.mpeg-tts', 'm2ts', 'x-ogg'],
  ...['x-theora+ogg', 'x-avi'],
].map((name) => `video/${name}`);

const acceptedTypes: ReadonlySet<string> = new Set([
  ...typeOfExtension.values(),
  ...otherNames,
  ...otherVideoNames,
  'application/ogg',
]);

/** Types that say nothing, so that the extension decides. */
const silentTypes: ReadonlySet<string> = new Set([
  '',
  'application/octet-stream',
  'binary/octet-stream',
  'application/binary',
]);

/**
 * The validated MIME type of a file with this name and declared type, or undefined when it is not accepted.
 * Both must agree that it is media: an accepted type does not save `list.m3u8`, nor a good name `text/html`.
 */
export function acceptedType(filename: string, contentType?: string | null): string | undefined {
  const declared = bareType(contentType);
  const extension = extensionOf(filename);
  const byExtension = extension === undefined ? undefined : typeOfExtension.get(extension);
  if (silentTypes.has(declared)) return byExtension;
  if (!acceptedTypes.has(declared)) return undefined;
  return extension === undefined || byExtension !== undefined ? declared : undefined;
}

/** The extension of a filename in small letters; `Meeting 12.05` has none, since a number is no extension. */
export function extensionOf(filename: string): string | undefined {
  const found = /\.([a-z0-9]{1,12})$/i.exec(filename.trim())?.[1]?.toLowerCase();
  if (found === undefined) return undefined;
  return typeOfExtension.has(found) || !/^\d+$/.test(found) ? found : undefined;
}

function bareType(contentType: string | null | undefined): string {
  return (contentType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}
