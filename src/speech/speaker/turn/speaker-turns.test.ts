import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sampleRate } from '../../../timeline/sample-rate.ts';
import { agglomerativeClusters } from '../cluster/agglomerative-clustering.ts';
import { speakerClusters } from '../cluster/speaker-clusters.ts';
import { cosineMatrix, dot, type Embedding, unitLength } from '../voiceprint/embedding.ts';
import { embeddingOf, embeddingText } from '../voiceprint/embedding-text.ts';
import type { EmbeddedWindow } from './smoothed-embeddings.ts';
import { speakerTurns } from './speaker-turns.ts';

const dimensions = 32;

function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

/** Roughly normal. */
const noise = (random: () => number) => random() + random() + random() + random() - 2;

/** People have something in common (the channel), and each window differs from its person's voice. */
function voices(people: number, seed: number): (person: number) => Embedding {
  const random = randomOf(seed);
  const common = Float32Array.from({ length: dimensions }, () => 0.4 * noise(random));
  const own = Array.from({ length: people }, () =>
    Float32Array.from({ length: dimensions }, (_, item) => (common[item] ?? 0) + noise(random)),
  );
  return (person) => unitLength(Float32Array.from(own[person] ?? [], (value) => value + 0.5 * noise(random)));
}

/** Windows of a conversation, each 1.5 s every 0.75 s, without a pause between turns. */
function conversation(
  turns: readonly number[],
  windowsPerTurn: number,
  seed = 5,
): { windows: EmbeddedWindow[]; people: number[] } {
  const voice = voices(Math.max(...turns) + 1, seed);
  const people = turns.flatMap((person) => Array.from({ length: windowsPerTurn }, () => person));
  const windows = people.map((person, index) => ({
    startSample: index * 0.75 * sampleRate,
    endSample: (index * 0.75 + 1.5) * sampleRate,
    embedding: voice(person),
  }));
  return { windows, people };
}

function agrees(labels: readonly number[], people: readonly number[]): boolean {
  const names = new Map<number, number>();
  return labels.every((label, index) => {
    const person = people[index] ?? -1;
    if (!names.has(label)) names.set(label, person);
    return names.get(label) === person;
  });
}

test('the number of speakers is found, from one to six', () => {
  for (const people of [1, 2, 3, 4, 5, 6]) {
    const turns = Array.from({ length: people * 5 }, (_, index) => index % people);
    const { windows, people: expected } = conversation(turns, 4, 11 + people);
    const labels = speakerClusters(windows.map((window) => window.embedding));
    assert.equal(new Set(labels).size, people, `${people} people`);
    assert.ok(agrees(labels, expected), `${people} people`);
  }
});

test('a short conversation of a few windows is told apart as well', () => {
  const { windows, people } = conversation([0, 1, 0, 1], 4);
  const labels = speakerClusters(windows.map((window) => window.embedding));
  assert.equal(new Set(labels).size, 2);
  assert.ok(agrees(labels, people));
});

test('a number that somebody knows is kept to, in short and in long recordings', () => {
  for (const turns of [4, 24]) {
    const { windows } = conversation(
      Array.from({ length: turns }, (_, index) => index % 2),
      4,
    );
    const vectors = windows.map((window) => window.embedding);
    assert.equal(new Set(speakerClusters(vectors, { min: 1, max: 1 })).size, 1);
    assert.equal(new Set(speakerClusters(vectors, { min: 3, max: 3 })).size, 3);
  }
});

test('a recording of ten hours is clustered on a sample, and its end has the same speakers as its start', () => {
  const turns = Array.from({ length: 6000 }, (_, index) => [0, 1, 2, 1][index % 4] ?? 0);
  const { windows, people } = conversation(turns, 8);
  const labels = speakerClusters(windows.map((window) => window.embedding));
  assert.equal(labels.length, 48_000);
  assert.ok(agrees(labels, people));
});

test('the same windows always give the same turns', () => {
  const { windows } = conversation([0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2], 5);
  assert.deepEqual(speakerTurns(windows), speakerTurns(windows));
});

test('turns follow each other without a gap inside running speech, and a single odd window does not break one', () => {
  const { windows } = conversation([0, 1, 0, 1, 0, 1, 0, 1, 0, 1], 6);
  const odd = windows[8];
  const other = windows[2];
  if (odd && other)
    odd.embedding = unitLength(
      odd.embedding.map((value, item) => 0.55 * value + 0.45 * (other.embedding[item] ?? 0)),
    );
  const turns = speakerTurns(windows);
  assert.equal(turns.length, 10);
  turns.slice(1).forEach((turn, index) => {
    assert.equal(turn.startSample, turns[index]?.endSample);
    assert.notEqual(turn.speaker, turns[index]?.speaker);
  });
});

test('a short pause of one person does not end a turn, a long one does', () => {
  const { windows } = conversation([0, 1, 0, 1, 0, 1, 0, 1, 1], 6);
  // The last six windows overlap the one before them by 0.75 s.
  const turnsWithPause = (seconds: number) => {
    const shift = (0.75 + seconds) * sampleRate;
    const moved = windows.map(({ startSample, endSample, embedding }, index) =>
      index < windows.length - 6
        ? { startSample, endSample, embedding }
        : { startSample: startSample + shift, endSample: endSample + shift, embedding },
    );
    return speakerTurns(moved).length;
  };
  assert.equal(turnsWithPause(0.3), 8);
  assert.equal(turnsWithPause(1), 9);
});

test('stretches that a model has found may overlap and stay as they are', () => {
  const { windows } = conversation([0, 1, 0, 1], 3);
  const turns = speakerTurns(windows, { min: 2, max: 2 }, true);
  assert.deepEqual(
    turns.map(({ startSample, endSample }) => ({ startSample, endSample })),
    windows.map(({ startSample, endSample }) => ({ startSample, endSample })),
  );
});

test('no windows are no turns', () => {
  assert.deepEqual(speakerTurns([]), []);
});

test('average link keeps apart what is not alike enough, unless it has to join', () => {
  const cosines = cosineMatrix(
    [Float32Array.of(1, 0), Float32Array.of(0.99, 0.14), Float32Array.of(0, 1)].map(unitLength),
  );
  const apart = agglomerativeClusters(cosines, 3, { cosineMin: 0.5, countMin: 1, countMax: 8 });
  assert.equal(apart[0], apart[1]);
  assert.notEqual(apart[0], apart[2]);
  assert.deepEqual(
    agglomerativeClusters(cosines, 3, { cosineMin: 0.5, countMin: 1, countMax: 1 }),
    [0, 0, 0],
  );
});

test('an embedding survives being stored', () => {
  const voice = voices(1, 3)(0);
  assert.ok(dot(embeddingOf(embeddingText(voice)), voice) > 0.9999);
});
