import assert from 'node:assert/strict';
import { test } from 'node:test';
import { labelOf } from './label.ts';

test('a label keeps what people wrote, without paths, control and direction characters, up to 240 characters', () => {
  const cases: [given: string, label: string][] = [
    ['talk.mp3', 'talk.mp3'],
    ['../../etc/passwd', 'passwd'],
    ['C:\\Users\\me\\talk.mp3', 'talk.mp3'],
    ['a\u0000b\nc\u001b[31m.mp3', 'abc[31m.mp3'],
    ['invoice\u202egpj.exe', 'invoicegpj.exe'],
    ['e\u0301te\u0301.wav', 'été.wav'],
    ['会議 🎙️.m4a', '会議 🎙️.m4a'],
    ['\ud800x', 'x'],
    ['   ', 'upload'],
    ['', 'upload'],
    ['🎙'.repeat(300), '🎙'.repeat(240)],
  ];
  for (const [given, label] of cases) assert.equal(labelOf(given, 'upload'), label);
});
