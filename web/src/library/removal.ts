/** Deleting with a way back: the service hears of it only when the time to undo is over, or the page is left. */
import { request } from '../request.ts';
import { text } from '../text.ts';
import { toast } from '../toast.tsx';
import { type Entry, forgetEntry, hiddenIds, loadLibrary } from './library.ts';

const undoMs = 7_000;
const pending = new Map<string, ReturnType<typeof setTimeout>>();

export function remove({ id, name }: Entry): void {
  hiddenIds.value = new Set([...hiddenIds.value, id]);
  const endToast = toast(text.library.removed(name), {
    action: {
      label: text.library.undo,
      run() {
        clearTimeout(pending.get(id));
        pending.delete(id);
        show(id);
        endToast();
      },
    },
  });
  pending.set(
    id,
    setTimeout(() => void send(id), undoMs),
  );
}

// Whoever leaves has decided.
addEventListener('pagehide', () => {
  for (const id of pending.keys()) {
    void fetch(`/web/library/${id}`, {
      method: 'DELETE',
      headers: { 'x-longhand-page': '1' },
      keepalive: true,
    });
  }
  pending.clear();
});

async function send(id: string): Promise<void> {
  if (!pending.delete(id)) return;
  try {
    await request('DELETE', `/web/library/${id}`);
    forgetEntry(id);
    void loadLibrary();
  } catch {
    toast(text.library.notRemoved, { isBad: true });
  }
  show(id);
}

function show(id: string): void {
  const rest = new Set(hiddenIds.value);
  rest.delete(id);
  hiddenIds.value = rest;
}
