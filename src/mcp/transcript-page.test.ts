import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '../contract/errors.ts';
import { transcriptPage } from './transcript-page.ts';

/** All pages of it, one after the other. */
function pagesOf(units: readonly string[], maxChars: number): string[] {
  const pages: string[] = [];
  let cursor: string | undefined;
  do {
    const page = transcriptPage(units, { cursor, maxChars });
    const text = page.pieces.map((piece) => piece.text).join('');
    assert.equal(text.length, page.returnedChars);
    pages.push(text);
    cursor = page.nextCursor ?? undefined;
    assert.ok(pages.length < 1_000, 'the pages have an end');
  } while (cursor !== undefined);
  return pages;
}

test('pages hold whole units, never more than asked for, and all of it', () => {
  const units = Array.from({ length: 50 }, (_, index) => `line ${index}\n`);
  const pages = pagesOf(units, 60);
  assert.equal(pages.join(''), units.join(''));
  for (const page of pages) {
    assert.ok(page.length <= 60 && page.endsWith('\n'));
  }
});

test('a unit longer than a page is cut between words, never inside a character', () => {
  const words = 'word '.repeat(100);
  for (const page of pagesOf([words], 33)) assert.match(page, /^(word )+$/);
  const unspaced = '😀'.repeat(50);
  const pages = pagesOf([unspaced], 9);
  assert.equal(pages.join(''), unspaced);
  for (const page of pages) assert.ok(page.isWellFormed() && page.length <= 9);
});

test('nothing gives one empty page', () => {
  assert.deepEqual(transcriptPage([], { cursor: undefined, maxChars: 500 }), {
    pieces: [],
    returnedChars: 0,
    totalChars: 0,
    nextCursor: null,
  });
});

test('a cursor that is none of ours is refused; one past the end gives the end', () => {
  for (const cursor of ['', '1', 'x.y', '-1.0', '1.2.3'])
    assert.throws(() => transcriptPage(['a'], { cursor, maxChars: 500 }), ApiError);
  assert.deepEqual(transcriptPage(['a'], { cursor: '9.9', maxChars: 500 }).pieces, []);
});
