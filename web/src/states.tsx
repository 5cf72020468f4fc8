/** What a page shows while it has nothing to show. */
import type { ComponentChildren } from 'preact';
import { text } from './text.ts';

export function Loading() {
  return (
    <p class="page quiet loading" role="status">
      {text.loading}
    </p>
  );
}

export function Trouble({ children, retry }: { children: ComponentChildren; retry?: () => unknown }) {
  return (
    <div class="page trouble" role="alert">
      <p>{children}</p>
      {retry && (
        <button type="button" class="btn" onClick={() => void retry()}>
          {text.retry}
        </button>
      )}
    </div>
  );
}
