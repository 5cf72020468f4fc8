/** Short messages at the edge of the page, with at most one thing to do about each. */
import { signal } from '@preact/signals';

export interface Toast {
  id: number;
  message: string;
  isBad?: boolean;
  action?: { label: string; run(): void };
}

const shownMs = 8_000;
const shown = signal<readonly Toast[]>([]);
let count = 0;

/** Gives the function that takes it away before its time. */
export function toast(message: string, options: Omit<Toast, 'id' | 'message'> = {}): () => void {
  count += 1;
  const id = count;
  shown.value = [...shown.value, { id, message, ...options }];
  const end = () => {
    shown.value = shown.value.filter((one) => one.id !== id);
  };
  setTimeout(end, shownMs);
  return end;
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {shown.value.map(({ id, message, isBad, action }) => (
        <p key={id} class={isBad ? 'toast bad' : 'toast'}>
          <span>{message}</span>
          {action && (
            <button type="button" class="btn small" onClick={() => action.run()}>
              {action.label}
            </button>
          )}
        </p>
      ))}
    </div>
  );
}
