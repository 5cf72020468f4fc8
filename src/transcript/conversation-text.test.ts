import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conversationText } from './conversation-text.ts';

test('each turn is a paragraph with its speaker in front', () => {
  const segments = [
    { start: 0, end: 1, text: 'Good morning.', speaker: 0 },
    { start: 1, end: 2, text: 'How are you?', speaker: 0 },
    { start: 2, end: 3, text: 'Well.', speaker: 1 },
    { start: 9, end: 10, text: 'Nobody knows who said this.' },
  ];
  assert.equal(
    conversationText(segments),
    'Speaker 1: Good morning. How are you?\n\nSpeaker 2: Well.\n\nNobody knows who said this.',
  );
});
