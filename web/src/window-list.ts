/** A list of any length that scrolls with the page, of which only what is near the window is in the document. */
import {
  observeWindowOffset,
  observeWindowRect,
  type Range,
  Virtualizer,
  type VirtualizerOptions,
  windowScroll,
} from '@tanstack/virtual-core';
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useReducer, useState } from 'preact/hooks';

export interface WindowListOptions {
  count: number;
  /** Of an ordinary row, in pixels; real heights are measured. */
  rowPixels: number;
  /** Of rows out of sight on either side. */
  overscan: number;
  /** Another function has every row measured anew. */
  getItemKey(index: number): string | number;
  rangeExtractor?: (range: Range) => number[];
  /** What covers the list at the top and the foot of the window. */
  coveredPixels?: { top: number; foot: number };
}

export function useWindowList(
  list: RefObject<HTMLElement | null>,
  { rowPixels, coveredPixels, ...given }: WindowListOptions,
): Virtualizer<Window, HTMLLIElement> {
  const [margin, setMargin] = useState(0);
  const [, redraw] = useReducer((n: number, _: undefined) => n + 1, 0);
  const options: VirtualizerOptions<Window, HTMLLIElement> = {
    ...given,
    getScrollElement: () => window,
    estimateSize: () => rowPixels,
    scrollMargin: margin,
    scrollPaddingStart: coveredPixels?.top ?? 0,
    scrollPaddingEnd: coveredPixels?.foot ?? 0,
    scrollToFn: windowScroll,
    observeElementRect: observeWindowRect,
    observeElementOffset: observeWindowOffset,
    onChange: () => redraw(undefined),
  };
  const [virtualizer] = useState(() => new Virtualizer<Window, HTMLLIElement>(options));
  virtualizer.setOptions(options);
  useEffect(() => virtualizer._didMount(), [virtualizer]);
  useLayoutEffect(() => virtualizer._willUpdate());
  useLayoutEffect(() => {
    const top = list.current ? list.current.getBoundingClientRect().top + scrollY : 0;
    if (Math.abs(top - margin) > 1) setMargin(top);
  });
  return virtualizer;
}
