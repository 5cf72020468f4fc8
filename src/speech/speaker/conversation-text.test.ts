import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conversationText } from './conversation-text.ts';
import { stretches } from './sherpa-evidence.ts';

test('each turn is a paragraph with its speaker in front', () => {
  const segments = [
    { start: 0, end: 1, text: 'Good morning.', speaker: 0 },
    { start: 1, end: 2, text: 'How are you?', speaker: 0 },
    { start: 2, end: 3, text: 'Well.', speaker: 1 },
    { start: 9, end: 10, text: 'Nobody knows who said this.' },
  ];
  assert.equal(
    conversationText(segments),
    'Speaker 0: Good morning. How are you?\n\nSpeaker 1: Well.\n\nNobody knows who said this.',
  );
});

test('a stretch of a larger model stays inside its chunk, and a long one is cut into equal parts', () => {
  const chunk = { startSample: 160_000, endSample: 480_000 };
  assert.deepEqual(stretches(chunk, { start: 1, end: 3 }), [{ startSample: 176_000, endSample: 208_000 }]);
  const parts = stretches(chunk, { start: 8, end: 99 });
  assert.equal(parts.length, 2);
  assert.deepEqual(
    [parts[0]?.startSample, parts[0]?.endSample, parts[1]?.endSample],
    [288_000, 384_000, 480_000],
  );
  assert.deepEqual(stretches(chunk, { start: 30, end: 31 }), []);
});
