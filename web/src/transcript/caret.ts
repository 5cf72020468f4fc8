/** Where the caret stands in a line, and putting it there. A line is one text node. */
export function caretOffset(element: HTMLElement): number | undefined {
  const selection = getSelection();
  if (!selection?.isCollapsed || !selection.anchorNode || !element.contains(selection.anchorNode))
    return undefined;
  if (selection.anchorNode === element)
    return selection.anchorOffset === 0 ? 0 : (element.textContent?.length ?? 0);
  return selection.anchorOffset;
}

export function putCaret(element: HTMLElement, offset: number): void {
  element.focus({ preventScroll: true });
  const node = element.firstChild;
  const range = document.createRange();
  range.setStart(node ?? element, node ? Math.min(offset, node.textContent?.length ?? 0) : 0);
  range.collapse(true);
  const selection = getSelection();
  selection?.removeAllRanges();
  selection?.addRange(range);
}

/** Chooses a stretch of a line's text, so that what is typed takes its place. */
export function selectText(element: HTMLElement, range: Range): void {
  element.focus({ preventScroll: true });
  const selection = getSelection();
  selection?.removeAllRanges();
  selection?.addRange(range);
}

/** Text of a line without line breaks: a paste or a dictation may bring some. */
export function lineText(element: HTMLElement): string {
  return (element.textContent ?? '').replace(/\s*[\r\n\u2028\u2029]+\s*/g, ' ').replaceAll('\0', '');
}
