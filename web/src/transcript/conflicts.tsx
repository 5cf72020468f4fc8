/** Where somebody else changed the same words: nothing is lost, and the person decides. */
import { text } from '../text.ts';
import type { Editor } from './editor.ts';

export function Conflicts({ editor, show }: { editor: Editor; show(index: number): void }) {
  const words = text.transcript;
  return (
    <>
      {editor.conflicts.value.map(({ id, mine, theirs }) => (
        <section key={id} class="notice bad conflict" role="alert">
          <p>
            <b>{words.conflict}</b>
          </p>
          <p class="small">
            {words.yours}: <q>{mine?.text ?? words.deleted}</q>
          </p>
          <p class="small">
            {words.theirs}: <q>{!theirs || theirs.isDeleted ? words.deleted : theirs.text}</q>
          </p>
          <div class="row start">
            <button type="button" class="btn small" onClick={() => editor.resolve(id, 'mine')}>
              {words.keepMine}
            </button>
            <button type="button" class="btn small" onClick={() => editor.resolve(id, 'theirs')}>
              {words.takeTheirs}
            </button>
            {mine && theirs && !theirs.isDeleted && (
              <button type="button" class="btn small" onClick={() => editor.resolve(id, 'both')}>
                {words.keepBoth}
              </button>
            )}
            {mine && (
              <button type="button" class="btn small" onClick={() => show(editor.indexOf(id))}>
                {words.showLine}
              </button>
            )}
          </div>
        </section>
      ))}
    </>
  );
}
