/** A ledger of any length. */
import type { ComponentChildren } from 'preact';
import { useCallback, useEffect, useRef } from 'preact/hooks';
import { useWindowList } from './window-list.ts';

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
  const getItemKey = useCallback(
    (index: number) => {
      const item = items[index];
      return item === undefined ? index : keyOf(item);
    },
    [items, keyOf],
  );
  const virtualizer = useWindowList(list, { count: items.length, rowPixels, overscan, getItemKey });
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
