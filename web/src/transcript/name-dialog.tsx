import { useSignal } from '@preact/signals';
import { text } from '../text.ts';
import { Dialog } from './dialog.tsx';
import type { Editor } from './editor.ts';

interface NameDialogProps {
  speaker: string;
  editor: Editor;
  nameOf(speaker: string): string;
  close(): void;
}

/** A speaker's name, or that they are somebody else who is there already. */
export function NameDialog({ speaker, editor, nameOf, close }: NameDialogProps) {
  const words = text.transcript;
  const trouble = useSignal(false);
  const others = editor.speakerIds.value.filter((one) => one !== speaker);
  const attempt = async (work: () => Promise<void>) => {
    try {
      await work();
      close();
    } catch {
      trouble.value = true;
    }
  };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const name = (form.elements.namedItem('name') as HTMLInputElement).value.trim();
    void attempt(() => editor.name(speaker, name));
  };
  return (
    <Dialog title={words.nameTitle(nameOf(speaker))} close={close}>
      <form class="stack" onSubmit={submit}>
        <label class="stack">
          {words.name}
          <input
            class="field"
            name="name"
            maxLength={100}
            autocomplete="off"
            value={editor.speakers.value[speaker] ?? ''}
          />
        </label>
        <button type="submit" class="btn main">
          {words.saveName}
        </button>
      </form>
      {others.length > 0 && (
        <section class="stack">
          <p class="small quiet">{words.mergeHint}</p>
          <div class="row start">
            {others.map((one) => (
              <button
                key={one}
                type="button"
                class="btn small"
                onClick={() => void attempt(() => editor.merge(speaker, one))}
              >
                {words.mergeInto(nameOf(one))}
              </button>
            ))}
          </div>
        </section>
      )}
      {trouble.value && (
        <p class="notice bad" role="alert">
          {text.unreachable}
        </p>
      )}
    </Dialog>
  );
}
