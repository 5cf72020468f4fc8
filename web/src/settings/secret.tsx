import { useSignal } from '@preact/signals';
import { text } from '../text.ts';

const copiedMs = 2_000;

/** Something that is shown once, with a button that copies it. */
export function Secret({ hint, value }: { hint: string; value: string }) {
  return (
    <div class="stack" role="status">
      <p>{hint}</p>
      <div class="secret">
        <code>{value}</code>
        <CopyButton value={value} />
      </div>
    </div>
  );
}

export function CopyButton({ value }: { value: string }) {
  const isCopied = useSignal(false);
  const copy = async () => {
    await navigator.clipboard.writeText(value);
    isCopied.value = true;
    setTimeout(() => {
      isCopied.value = false;
    }, copiedMs);
  };
  return (
    <button type="button" class="btn small" onClick={() => void copy()}>
      {isCopied.value ? text.settings.copied : text.settings.copy}
    </button>
  );
}
