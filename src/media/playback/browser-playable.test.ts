import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Probed } from '../probe.ts';
import { browserPlayable } from './browser-playable.ts';

function probed(container: string, codec: string, videoCodec?: string, tracks = 1): Probed {
  const audio = { index: 0, codec, sampleRate: 16_000, channels: 1, durationSeconds: 1 };
  const audioStreams = Array.from({ length: tracks }, () => audio);
  return {
    container,
    durationSeconds: 1,
    audio,
    audioStreams,
    hasVideo: videoCodec !== undefined,
    videoCodec,
  };
}

test('what every browser plays is played as it is, under a type of ours', () => {
  assert.deepEqual(browserPlayable(probed('mp3', 'mp3')), { contentType: 'audio/mpeg', isVideo: false });
  const mp4 = 'mov,mp4,m4a,3gp,3g2,mj2';
  assert.deepEqual(browserPlayable(probed(mp4, 'aac', 'h264')), { contentType: 'video/mp4', isVideo: true });
  assert.equal(browserPlayable(probed('matroska,webm', 'opus', 'vp9'))?.contentType, 'video/webm');
});

test('everything else needs a copy: other codecs, another picture, several tracks', () => {
  for (const one of [
    probed('asf', 'wmav2'),
    probed('amr', 'amrnb'),
    probed('mov,mp4,m4a,3gp,3g2,mj2', 'amrnb'),
    probed('mov,mp4,m4a,3gp,3g2,mj2', 'aac', 'hevc'),
    probed('matroska,webm', 'aac', 'h264'),
    probed('wav', 'pcm_s24le'),
    probed('mp3', 'mp3', undefined, 2),
  ])
    assert.equal(browserPlayable(one), undefined, `${one.container} ${one.audio.codec}`);
});
