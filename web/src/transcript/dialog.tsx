/** A native dialog that is open as long as it is there. */
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { text } from '../text.ts';

interface DialogProps {
  title: string;
  close(): void;
  children: ComponentChildren;
}

export function Dialog({ title, close, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    dialog.current?.showModal();
  }, []);
  return (
    <dialog ref={dialog} class="dialog" aria-label={title} onClose={close}>
      <header>
        <h2>{title}</h2>
        <button type="button" class="btn icon" aria-label={text.transcript.close} onClick={close}>
          ×
        </button>
      </header>
      {children}
    </dialog>
  );
}
