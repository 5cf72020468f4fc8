import { position, roughly } from '../format.ts';
import { text } from '../text.ts';
import type { LiveProgress } from './live-feed.ts';

/** Behind the title: that it is being written, and for how long. */
export function LiveChip({ progress }: { progress: LiveProgress | undefined }) {
  const left = progress?.secondsLeft;
  return (
    <span class="chip">
      {text.transcript.beingWritten}
      {left ? ` · ${text.library.left(roughly(left))}` : ''}
    </span>
  );
}

/** Where the text grows. */
export function Pen({ progress }: { progress: LiveProgress | undefined }) {
  const { stage = 'queued', doneSeconds, totalSeconds } = progress ?? {};
  return (
    <div class="turn">
      <p class="pen num" role="status">
        <i />
        {totalSeconds
          ? text.transcript.writtenTo(position(doneSeconds ?? 0), position(totalSeconds))
          : text.library[stage]}
      </p>
    </div>
  );
}
