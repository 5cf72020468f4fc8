/** Beside the text: what the marks mean, whether they are shown, and the way from one to the next. */
import { useEffect } from 'preact/hooks';
import { count } from '../format.ts';
import { text } from '../text.ts';
import type { UnsureWords } from './unsure-words.ts';

export function UnsurePanel({ unsure }: { unsure: UnsureWords }) {
  const words = text.unsure;
  const all = unsure.heard.value.length;
  const current = unsure.current.value;
  if (all === 0) return null;
  return (
    <section>
      <h2>{words.title}</h2>
      <label class="check">
        <input
          type="checkbox"
          checked={unsure.isMarked.value}
          onChange={(event) => unsure.switch(event.currentTarget.checked)}
        />
        <span>
          {words.marks} <span class="unsure">{words.sample}</span>
        </span>
      </label>
      <div class="row start">
        <button
          type="button"
          class="btn small"
          aria-keyshortcuts="Shift+F8"
          onClick={() => void unsure.step(-1)}
        >
          {words.previous}
        </button>
        <button type="button" class="btn small" aria-keyshortcuts="F8" onClick={() => void unsure.step(1)}>
          {words.next}
        </button>
      </div>
      <p class="quiet num" role="status">
        {current
          ? words.current(current.text, Math.round((current.confidence ?? 0) * 100))
          : words.all(count(all), all === 1)}
      </p>
    </section>
  );
}

/** F8 goes on, as in editors of programs; with Shift it goes back. */
export function useUnsureKey(unsure: UnsureWords): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'F8' || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      void unsure.step(event.shiftKey ? -1 : 1);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [unsure]);
}
