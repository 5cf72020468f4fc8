import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EndedReceivers } from './ended-receivers.ts';

test('an ended receiver is remembered until a claim begins that finds it ended in the database', () => {
  const ended = new EndedReceivers();
  ended.add('deleted');
  ended.addUntold('gone');
  assert.equal(ended.has('deleted'), true);
  ended.beginClaim();
  assert.equal(ended.has('deleted'), false);
  assert.equal(ended.has('gone'), true, 'the database does not know it yet');
  ended.tell('gone');
  assert.equal(ended.has('gone'), true, 'the claim under way began before');
  ended.beginClaim();
  assert.equal(ended.has('gone'), false);
});
