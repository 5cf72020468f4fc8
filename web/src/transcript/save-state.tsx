import { text } from '../text.ts';
import type { Editor } from './editor.ts';

/** Whether everything that was written is safe, and how to take a step back. */
export function SaveState({ editor }: { editor: Editor }) {
  const words = text.transcript;
  const state = editor.save.state.value;
  const { canUndo, canRedo } = editor.history.value;
  const isBad = state === 'unkept' || state === 'refused' || state === 'signed-out';
  return (
    <>
      <span class={`small save ${isBad ? 'bad' : 'quiet'}`} role="status" data-state={state}>
        {words.save[state]}
      </span>
      <button
        type="button"
        class="btn icon wide"
        aria-label={words.undo}
        disabled={!canUndo}
        onClick={() => editor.undo()}
      >
        ↶
      </button>
      <button
        type="button"
        class="btn icon wide"
        aria-label={words.redo}
        disabled={!canRedo}
        onClick={() => editor.undo(true)}
      >
        ↷
      </button>
    </>
  );
}
