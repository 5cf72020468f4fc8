export type Verdict = 'ok' | 'warning' | 'problem';

/** One line of `longhand doctor`. */
export interface Finding {
  name: string;
  verdict: Verdict;
  /** What is there, or what to do. */
  text: string;
}
