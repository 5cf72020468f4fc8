/** Rows with a bar, and the averages that they show. */
import type { BenchmarkRow } from '../run.ts';

export function atMost(figure: string, value: number, bar: number, unit: string): BenchmarkRow {
  return {
    figure,
    value: `${rounded(value)}${unit}`,
    bar: `at most ${rounded(bar)}${unit}`,
    passed: value <= bar,
  };
}

export function atLeast(figure: string, value: number, bar: number, unit: string): BenchmarkRow {
  return {
    figure,
    value: `${rounded(value)}${unit}`,
    bar: `at least ${rounded(bar)}${unit}`,
    passed: value >= bar,
  };
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Of an even number of values the upper one in the middle. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
