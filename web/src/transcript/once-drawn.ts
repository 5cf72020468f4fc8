import { lineElement } from './reading.ts';

/** After so many the line is looked for where it is. */
const framesMax = 20;

/**
 * Preact draws a change in a microtask that is queued by now, so ours finds the line before the next key arrives: whoever
 * types on writes in it. A line out of sight is drawn some frames later.
 */
export function onceDrawn(id: string, drawn: (element: HTMLElement) => void, missed: () => void): void {
  const look = (frames: number) => {
    const element = lineElement(id);
    if (element) drawn(element);
    else if (frames > 0) requestAnimationFrame(() => look(frames - 1));
    else missed();
  };
  queueMicrotask(() => look(framesMax));
}
