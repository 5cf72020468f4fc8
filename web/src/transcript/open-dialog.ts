import type { Line } from './line.ts';

/** The dialog over the transcript, if one is open. */
export type OpenDialog =
  | { kind: 'name'; speaker: string }
  | { kind: 'shift' | 'rerun'; line: Line }
  | { kind: 'export' | 'share' }
  | undefined;
