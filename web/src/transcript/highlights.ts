/** Marks in the text without touching it: the word that is said, what was searched for, what the machine is unsure of. */
const isSupported = typeof Highlight !== 'undefined' && typeof CSS !== 'undefined' && 'highlights' in CSS;

export function mark(name: 'now' | 'found' | 'unsure', ranges: readonly Range[]): void {
  if (!isSupported) return;
  if (ranges.length === 0) CSS.highlights.delete(name);
  else CSS.highlights.set(name, new Highlight(...ranges));
}

/** A stretch of a line's text; undefined where the line is not in the document. */
export function rangeIn(element: HTMLElement | null, from: number, to: number): Range | undefined {
  const node = element?.firstChild;
  const length = node?.textContent?.length ?? 0;
  if (!node || node.nodeType !== Node.TEXT_NODE || from >= length) return undefined;
  const range = document.createRange();
  range.setStart(node, from);
  range.setEnd(node, Math.min(to, length));
  return range;
}
