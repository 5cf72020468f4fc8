import assert from 'node:assert/strict';
import { test } from 'node:test';
import { acceptedExtensions, acceptedType } from './accepted-media.ts';
import { looksLikeHtml, mediaKind } from './magic.ts';

test('every accepted extension is enough when the declared type says nothing', () => {
  for (const extension of acceptedExtensions) {
    for (const silent of [undefined, null, '', 'application/octet-stream', 'APPLICATION/OCTET-STREAM; x=1']) {
      assert.match(acceptedType(`A b.${extension.toUpperCase()}`, silent) ?? '', /^(audio|video)\//);
    }
  }
});

const cases: [filename: string, contentType: string | null, expected: string | undefined][] = [
  ['talk.mp3', 'audio/mpeg', 'audio/mpeg'],
  ['talk.mp3', 'Audio/MPEG; charset=binary', 'audio/mpeg'],
  ['talk.m4a', 'audio/x-m4a', 'audio/x-m4a'],
  ['talk.ogg', 'application/ogg', 'application/ogg'],
  ['talk.mp4', 'audio/mp4', 'audio/mp4'],
  ['talk', 'video/mp4', 'video/mp4'],
  ['Meeting 12.05', 'audio/wav', 'audio/wav'],
  ['talk', null, undefined],
  ['talk.txt', null, undefined],
  ['talk.txt', 'audio/mpeg', undefined],
  ['talk.mp3', 'text/plain', undefined],
  ['talk.mp3', 'application/json', undefined],
  ['talk.mp3', 'audio/midi', undefined],
  ['list.m3u8', 'application/vnd.apple.mpegurl', undefined],
  ['list.m3u8', 'audio/mpegurl', undefined],
  ['list.m3u8', 'audio/mpeg', undefined],
  ['list.m3u', 'audio/x-mpegurl', undefined],
  ['list.mp3', 'audio/x-mpegurl', undefined],
  ['list.pls', 'audio/x-scpls', undefined],
  ['list.mpd', 'application/dash+xml', undefined],
  ['call.sdp', 'application/sdp', undefined],
  ['show.smil', null, undefined],
  ['', null, undefined],
  ['.mp3', null, 'audio/mpeg'],
  ['evil.mp3.exe', 'audio/mpeg', undefined],
];
for (const [filename, contentType, expected] of cases) {
  test(`"${filename}" declared as ${contentType} is ${expected ?? 'not accepted'}`, () => {
    assert.equal(acceptedType(filename, contentType), expected);
  });
}

const notMedia: Record<string, Buffer> = {
  empty: Buffer.alloc(0),
  zeros: Buffer.alloc(4096),
  text: Buffer.from('The quick brown fox jumps over the lazy dog. '.repeat(100)),
  'text that begins with ID3': Buffer.from('ID3 is a tag format for music files.'),
  'text that begins with OggS': Buffer.from('OggS pages are described in RFC 3533.'),
  'text that begins with caff': Buffer.from('caffeine keeps us awake'),
  'an HLS playlist': Buffer.from('#EXTM3U\n#EXTINF:10,\nfile:///etc/passwd\n'),
  'a concat list': Buffer.from("ffconcat version 1.0\nfile '/etc/passwd'\n"),
  'a PLS list': Buffer.from('[playlist]\nFile1=http://127.0.0.1/\n'),
  'a DASH manifest': Buffer.from('<?xml version="1.0"?><MPD></MPD>'),
  'an SDP': Buffer.from('v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\n'),
  html: Buffer.from('<!doctype html><html><body>Sign in</body></html>'),
  zip: Buffer.from('504b0304140000000800', 'hex'),
  elf: Buffer.concat([Buffer.from('7f454c46020101', 'hex'), Buffer.alloc(64)]),
  png: Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'),
  pdf: Buffer.from('%PDF-1.7\n'),
  heic: Buffer.from('000000186674797068656963', 'hex'),
  'RIFF WEBP': Buffer.from('RIFF\x10\x00\x00\x00WEBPVP8 ', 'latin1'),
  'an EBML file of another kind': Buffer.from('1a45dfa39f4286810142f7810142f2810442f38108', 'hex'),
};
for (const [name, bytes] of Object.entries(notMedia)) {
  test(`${name} is not taken for media`, () => assert.equal(mediaKind(bytes), undefined));
}

test('random bytes are not taken for media, save by the rarest chance', () => {
  let state = 42;
  let taken = 0;
  for (let round = 0; round < 2_000; round += 1) {
    const bytes = Buffer.alloc(4096);
    for (let at = 0; at < bytes.length; at += 1) {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
      bytes[at] = state >> 16;
    }
    if (mediaKind(bytes)) taken += 1;
  }
  assert.ok(taken <= 1, `${taken} of 2000`);
});

test('a web page is recognised behind marks, white space and comments, and media is not a page', () => {
  for (const page of [
    '<!DOCTYPE html><p>',
    '\uFEFF\n <html lang="en">',
    '<!-- x --><HEAD>',
    '<script>',
    '<?xml version="1.0"?><!DOCTYPE html>',
  ]) {
    assert.ok(looksLikeHtml(Buffer.from(page)), page);
  }
  for (const other of ['', 'plain', '{"a":1}', '<MPD>', '<svg ', 'ID3']) {
    assert.ok(!looksLikeHtml(Buffer.from(other)), other);
  }
});
