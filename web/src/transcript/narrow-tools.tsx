import type { Signal } from '@preact/signals';
import { text } from '../text.ts';
import type { Editor } from './editor.ts';
import type { OpenDialog } from './open-dialog.ts';
import type { UnsureWords } from './unsure-words.ts';

interface NarrowToolsProps {
  editor: Editor;
  unsure: UnsureWords;
  isLive: boolean;
  isFinding: Signal<boolean>;
  open: Signal<OpenDialog>;
}

/** Where the bar on top and the panel beside the text have no room for them. */
export function NarrowTools({ editor, unsure, isLive, isFinding, open }: NarrowToolsProps) {
  return (
    <div class="narrow-tools">
      <button type="button" class="btn small" onClick={() => (isFinding.value = !isFinding.value)}>
        {text.transcript.find}
      </button>
      {!isLive && (
        <button type="button" class="btn small" onClick={() => (open.value = { kind: 'share' })}>
          {text.transcript.share}
        </button>
      )}
      <button
        type="button"
        class="btn small"
        disabled={!editor.history.value.canUndo}
        onClick={() => editor.undo()}
      >
        {text.transcript.undo}
      </button>
      {unsure.heard.value.length > 0 && (
        <button type="button" class="btn small" onClick={() => void unsure.step(1)}>
          {text.unsure.nextUnsure}
        </button>
      )}
    </div>
  );
}
