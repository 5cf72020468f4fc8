/** At the lines that are recognised again: how far it is, or why nothing came of it. */
import { languageName, text } from '../text.ts';
import type { Reruns } from './reruns.ts';
import type { Rerun } from './transcript-requests.ts';

const percent = 100;

export function RerunNote({ rerun, reruns, again }: { rerun: Rerun; reruns: Reruns; again(): void }) {
  const words = text.rerun;
  const { status, failure, progress } = rerun;
  if (status === 'waiting')
    return (
      <p class="rerun small quiet num" role="status">
        <i class="busy" />
        {progress === null
          ? words.waits
          : words.runs(languageName(rerun.language), Math.round(progress * percent))}
        <button type="button" class="link" onClick={() => void reruns.dismiss(rerun.id)}>
          {words.stop}
        </button>
      </p>
    );
  return (
    <p class="rerun small bad" role="alert">
      {words.failures[failure ?? 'internal'] ?? words.failures.internal}
      {failure !== 'media_gone' && (
        <button type="button" class="link" onClick={again}>
          {words.again}
        </button>
      )}
      <button type="button" class="link" onClick={() => void reruns.dismiss(rerun.id)}>
        {words.dismiss}
      </button>
    </p>
  );
}
