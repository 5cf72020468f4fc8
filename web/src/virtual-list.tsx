/** A list of any length that scrolls with the page: only what is near the window is in the document. */
import {
  observeWindowOffset,
  observeWindowRect,
  Virtualizer,
  type VirtualizerOptions,
  windowScroll,
} from '@tanstack/virtual-core';
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useReducer, useRef, useState } from 'preact/hooks';

export interface VirtualListProps<Item> {
  label: string;
  items: readonly Item[];
  keyOf(item: Item): string;
  render(item: Item): ComponentChildren;
  /** Of an ordinary row, in pixels; real heights are measured. */
  rowPixels: number;
  /** The last row came near. */
  onEnd(): void;
}

const overscan = 6;

export function VirtualList<Item>({ label, items, keyOf, render, rowPixels, onEnd }: VirtualListProps<Item>) {
  const list = useRef<HTMLUListElement>(null);
  const [, redraw] = useReducer((n: number, _: undefined) => n + 1, 0);
  const options: VirtualizerOptions<Window, HTMLLIElement> = {
    count: items.length,
    getScrollElement: () => window,
    estimateSize: () => rowPixels,
    getItemKey: (index) => {
      const item = items[index];
      return item === undefined ? index : keyOf(item);
    },
    scrollMargin: list.current?.offsetTop ?? 0,
    overscan,
    scrollToFn: windowScroll,
    observeElementRect: observeWindowRect,
    observeElementOffset: observeWindowOffset,
    onChange: () => redraw(undefined),
  };
  const [virtualizer] = useState(() => new Virtualizer<Window, HTMLLIElement>(options));
  virtualizer.setOptions(options);
  useEffect(() => virtualizer._didMount(), [virtualizer]);
  useLayoutEffect(() => virtualizer._willUpdate());
  const rows = virtualizer.getVirtualItems();
  const last = rows.at(-1)?.index ?? -1;
  useEffect(() => {
    if (items.length > 0 && last >= items.length - 1) onEnd();
  }, [last, items.length, onEnd]);
  return (
    <ul
      ref={list}
      class="ledger"
      aria-label={label}
      style={{ height: `${virtualizer.getTotalSize()}px`, position: 'relative' }}
    >
      {rows.map(({ index, key, start }) => {
        const item = items[index];
        return (
          item !== undefined && (
            <li
              key={key}
              ref={virtualizer.measureElement}
              data-index={index}
              aria-setsize={items.length}
              aria-posinset={index + 1}
              style={{
                position: 'absolute',
                insetInline: 0,
                transform: `translateY(${start - virtualizer.options.scrollMargin}px)`,
              }}
            >
              {render(item)}
            </li>
          )
        );
      })}
    </ul>
  );
}
