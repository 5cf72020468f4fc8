/** All lines of a transcript, of which only those near the window are in the document. */
import { defaultRangeExtractor, type Range } from '@tanstack/virtual-core';
import type { ComponentChildren } from 'preact';
import { useCallback, useEffect, useRef } from 'preact/hooks';
import { text } from '../text.ts';
import { useWindowList } from '../window-list.ts';
import type { Line } from './line.ts';

const overscan = 3;
/** Of a line of ordinary length. */
const rowPixels = 78;
/** The bar on top and the player at the foot. */
const coveredPixels = { top: 80, foot: 180 };
const placeAfterMs = 250;

export interface LineListHandle {
  show(index: number, align: 'start' | 'center' | 'auto', isSmooth?: boolean): void;
}

interface Keys {
  lines: readonly Line[];
  keyOf(index: number): string | number;
}

/** The same function for as long as the same lines stand in the same order: another one has them all arranged anew. */
function useKeys(lines: readonly Line[]): (index: number) => string | number {
  const known = useRef<Keys | undefined>(undefined);
  const before = known.current;
  const isSame =
    before?.lines === lines ||
    (before?.lines.length === lines.length && lines.every(({ id }, i) => before.lines[i]?.id === id));
  if (before && isSame) {
    before.lines = lines;
    return before.keyOf;
  }
  const keyOf = (index: number) => lines[index]?.id ?? index;
  known.current = { lines, keyOf };
  return keyOf;
}

interface RowProps {
  line: Line;
  index: number;
  render(line: Line, index: number): ComponentChildren;
}

interface LineListProps extends Pick<RowProps, 'render'> {
  lines: readonly Line[];
  /** In the document wherever the window is: the line that is being written in. */
  keptId: string | undefined;
  onReady(handle: LineListHandle): void;
  /** The first line that can be seen has changed. */
  onPlace(index: number): void;
}

/** A component that reads signals is not drawn again while these and its properties are the same: scrolling draws new rows only. */
function Row({ line, index, render }: RowProps) {
  return <>{render(line, index)}</>;
}

export function LineList({ lines, render, keptId, onReady, onPlace }: LineListProps) {
  const list = useRef<HTMLOListElement>(null);
  const kept = keptId === undefined ? -1 : lines.findIndex(({ id }) => id === keptId);
  const getItemKey = useKeys(lines);
  const rangeExtractor = useCallback(
    (range: Range) => {
      const shown = defaultRangeExtractor(range);
      if (kept < 0 || shown.includes(kept)) return shown;
      return [...shown, kept].toSorted((a, b) => a - b);
    },
    [kept],
  );
  const virtualizer = useWindowList(list, {
    count: lines.length,
    rowPixels,
    overscan,
    getItemKey,
    rangeExtractor,
    coveredPixels,
  });
  useEffect(() => {
    onReady({
      show: (index, align, isSmooth) =>
        virtualizer.scrollToIndex(index, { align, behavior: isSmooth ? 'smooth' : 'auto' }),
    });
  }, [virtualizer, onReady]);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const told = () => {
      clearTimeout(timer);
      timer = setTimeout(
        () => onPlace(virtualizer.getVirtualItemForOffset(scrollY + 90)?.index ?? 0),
        placeAfterMs,
      );
    };
    addEventListener('scroll', told, { passive: true });
    return () => {
      clearTimeout(timer);
      removeEventListener('scroll', told);
    };
  }, [virtualizer, onPlace]);
  return (
    <ol
      ref={list}
      class="lines"
      aria-label={text.transcript.lines}
      style={{ height: `${virtualizer.getTotalSize()}px` }}
    >
      {virtualizer.getVirtualItems().map(({ index, key, start }) => {
        const line = lines[index];
        return (
          line && (
            <li
              key={key}
              ref={virtualizer.measureElement}
              data-index={index}
              aria-setsize={lines.length}
              aria-posinset={index + 1}
              style={{ transform: `translateY(${start - virtualizer.options.scrollMargin}px)` }}
            >
              <Row line={line} index={index} render={render} />
            </li>
          )
        );
      })}
    </ol>
  );
}
