/**
 * Recognises the accepted containers by their first bytes. It looks further than the four letters where these
 * could stand in a text, so that prose, playlists, archives and random bytes are not taken for media.
 */

/** Enough for two frames of every frame-based format and for a Matroska header. */
export const magicBytesWanted = 65_536;

type Recognizer = (bytes: Buffer) => boolean;

const recognizers: readonly (readonly [kind: string, matches: Recognizer])[] = [
  ['mp4', isIsoMedia],
  ['matroska', (b) => startsWith(b, '1a45dfa3') && /matroska|webm/.test(latin(b, 0, 4096))],
  ['wav', (b) => /^(RIFF|RF64|BW64)$/.test(latin(b, 0, 4)) && latin(b, 8, 12) === 'WAVE'],
  ['avi', (b) => latin(b, 0, 4) === 'RIFF' && /^AVI[ X]$/.test(latin(b, 8, 12))],
  ['ogg', (b) => latin(b, 0, 4) === 'OggS' && b[4] === 0],
  ['flac', (b) => latin(b, 0, 4) === 'fLaC' && ((b[4] ?? 0xff) & 0x7f) === 0],
  ['asf', (b) => startsWith(b, '3026b2758e66cf11')],
  ['aiff', (b) => latin(b, 0, 4) === 'FORM' && /^AIF[FC]$/.test(latin(b, 8, 12))],
  ['amr', (b) => /^#!AMR(-WB)?(_MC1\.0)?\n/.test(latin(b, 0, 16))],
  ['caf', (b) => startsWith(b, '6361666600010000')],
  ['au', (b) => latin(b, 0, 4) === '.snd' && word(b, 4) >= 24 && word(b, 4) < 65_536 && word(b, 12) < 28],
  ['flv', (b) => startsWith(b, '464c5601') && word(b, 5) === 9],
  ['mpeg', (b) => startsWith(b, '000001ba') || (startsWith(b, '000001b3') && b.length > 8)],
  ['mpegts', isTransportStream],
  ['mp3', isId3],
  ['aac', (b) => latin(b, 0, 4) === 'ADIF' || framesFollow(b, adtsFrameBytes)],
  ['ac3', (b) => framesFollow(b, ac3FrameBytes)],
  ['mp3', (b) => framesFollow(b, mpegAudioFrameBytes)],
];

/** The container these first bytes belong to, or undefined when they are not accepted media. */
export function mediaKind(firstBytes: Buffer): string | undefined {
  return recognizers.find(([, matches]) => matches(firstBytes))?.[0];
}

/** True when the bytes begin a web page, perhaps after white space, a byte order mark or a comment. */
export function looksLikeHtml(firstBytes: Buffer): boolean {
  const text = firstBytes
    .subarray(0, 2048)
    .toString('utf8')
    .replace(/^\uFEFF?\s*(<\?xml[^>]*>\s*)?(<!--[\s\S]*?-->\s*)*/, '');
  return /^<(!doctype\s+html|html|head|body|title|script|meta|link|style|div|form|p|a|table|h[1-6])[\s>]/i.test(
    text,
  );
}

const stillImageBrands = /^(heic|heix|heim|heis|hevc|hevx|mif1|msf1|avif|avis|crx |jxl |jp2 )$/;

/** ISO base media (mp4, m4a, mov, 3gp). Old QuickTime files have no `ftyp`; then another known box must come first. */
function isIsoMedia(b: Buffer): boolean {
  const type = latin(b, 4, 8);
  if (type === 'ftyp') return !stillImageBrands.test(latin(b, 8, 12));
  if (!['moov', 'mdat', 'free', 'skip', 'wide', 'pnot'].includes(type)) return false;
  const size = word(b, 0);
  if (size !== 1 && size !== 0 && size < 8) return false;
  const next = latin(b, size + 4, size + 8);
  return next.length < 4 || /^[a-z0-9 \xa9]{4}$/i.test(next);
}

/** Packets of 188 bytes, or of 192 with a time stamp before each (Blu-ray, AVCHD). */
function isTransportStream(b: Buffer): boolean {
  return [
    [0, 188],
    [4, 192],
    [0, 204],
  ].some(([offset = 0, step = 188]) => {
    if (b.length < offset + step + 1) return false;
    const end = Math.min(b.length, offset + step * 5);
    for (let at = offset; at < end; at += step) if (b[at] !== 0x47) return false;
    return true;
  });
}

function isId3(b: Buffer): boolean {
  if (latin(b, 0, 3) !== 'ID3' || b.length < 10) return false;
  const sizeIsSyncSafe = b.subarray(6, 10).every((byte) => byte < 0x80);
  return (b[3] ?? 0) >= 2 && (b[3] ?? 9) <= 4 && sizeIsSyncSafe;
}

/** Frame-based formats have no header of their own: two frames in a row, each pointing at the next, are the sign. */
function framesFollow(b: Buffer, frameBytes: (b: Buffer, at: number) => number | undefined): boolean {
  const start = b.findIndex((byte) => byte !== 0);
  if (start < 0) return false;
  const first = frameBytes(b, start);
  if (first === undefined) return false;
  const second = start + first;
  return second + 8 > b.length ? b.length - start >= first : frameBytes(b, second) !== undefined;
}

function adtsFrameBytes(b: Buffer, at: number): number | undefined {
  if (at + 7 > b.length || b[at] !== 0xff || ((b[at + 1] ?? 0) & 0xf6) !== 0xf0) return undefined;
  const rateIndex = ((b[at + 2] ?? 0) >> 2) & 0x0f;
  const bytes =
    (((b[at + 3] ?? 0) & 0x03) << 11) | ((b[at + 4] ?? 0) << 3) | (((b[at + 5] ?? 0) >> 5) & 0x07);
  return rateIndex > 12 || bytes < 7 ? undefined : bytes;
}

const ac3WordsAt48kHz = [
  64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 640, 768, 896, 1024, 1152, 1280,
];

function ac3FrameBytes(b: Buffer, at: number): number | undefined {
  if (at + 6 > b.length || b[at] !== 0x0b || b[at + 1] !== 0x77) return undefined;
  const code = b[at + 4] ?? 0xff;
  const words = ac3WordsAt48kHz[(code & 0x3f) >> 1];
  if (words === undefined) return undefined;
  const rateCode = code >> 6;
  if (rateCode === 0) return words * 2;
  if (rateCode === 2) return words * 3;
  // 44.1 kHz does not divide evenly: every other frame is one word longer.
  return rateCode === 1 ? 2 * (Math.floor((words * 48_000) / 44_100) + (code & 1)) : undefined;
}

const bitRates: Record<string, readonly number[]> = {
  '1-1': [32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
  '1-2': [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
  '1-3': [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  '2-1': [32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
  '2-2': [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
  '2-3': [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
};

function mpegAudioFrameBytes(b: Buffer, at: number): number | undefined {
  const [, second = 0, third = 0xff] = b.subarray(at, at + 3);
  if (b[at] !== 0xff || (second & 0xe0) !== 0xe0) return undefined;
  const version = (second >> 3) & 3; // 3 is MPEG 1, 2 is MPEG 2, 0 is MPEG 2.5
  const layer = 4 - ((second >> 1) & 3);
  const rate = [44_100, 48_000, 32_000][(third >> 2) & 3];
  const kilobits = bitRates[`${version === 3 ? 1 : 2}-${layer}`]?.[(third >> 4) - 1];
  if (version === 1 || layer === 4 || rate === undefined || kilobits === undefined) return undefined;
  const sampleRate = version === 3 ? rate : version === 2 ? rate / 2 : rate / 4;
  const padding = (third >> 1) & 1;
  if (layer === 1) return (Math.floor((12_000 * kilobits) / sampleRate) + padding) * 4;
  const samplesPerFrame = layer === 3 && version !== 3 ? 576 : 1152;
  return Math.floor((samplesPerFrame * 125 * kilobits) / sampleRate) + padding;
}

function startsWith(b: Buffer, hex: string): boolean {
  return b.subarray(0, hex.length / 2).toString('hex') === hex;
}

function latin(b: Buffer, from: number, to: number): string {
  return b.subarray(from, to).toString('latin1');
}

function word(b: Buffer, at: number): number {
  return at + 4 <= b.length ? b.readUInt32BE(at) : Number.NaN;
}
