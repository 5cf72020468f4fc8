import { text } from '../text.ts';
import { Dialog } from './dialog.tsx';
import type { Editor } from './editor.ts';
import type { Line } from './line.ts';

/** Lines that come too early or too late, from one on or all of them. */
export function ShiftDialog({ line, editor, close }: { line: Line; editor: Editor; close(): void }) {
  const words = text.transcript;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const { elements } = event.currentTarget as HTMLFormElement;
    const seconds = Number((elements.namedItem('seconds') as HTMLInputElement).value);
    const isAll = (elements.namedItem('all') as HTMLInputElement).checked;
    if (Number.isFinite(seconds)) void editor.shift(Math.round(seconds * 1000), isAll ? undefined : line.id);
    close();
  };
  return (
    <Dialog title={words.shiftTitle} close={close}>
      <form class="stack" onSubmit={submit}>
        <label class="stack">
          {words.shiftSeconds}
          <input
            class="field"
            name="seconds"
            type="number"
            step="0.1"
            min="-3600"
            max="3600"
            value="0.5"
            required
          />
        </label>
        <label class="check">
          <input name="all" type="checkbox" /> {words.shiftAll}
        </label>
        <button type="submit" class="btn main">
          {words.shiftDo}
        </button>
      </form>
    </Dialog>
  );
}
