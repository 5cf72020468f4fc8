/** The text while it is made: it grows at the end, and can be read from the first word on. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { duration, position } from '../format.ts';
import { longhand } from '../request.ts';
import { text } from '../text.ts';
import { Heading } from './heading.tsx';
import type { Line } from './line.ts';
import { LineList } from './line-list.tsx';
import { LineRow } from './line-row.tsx';
import type { TranscriptFacts } from './transcript-requests.ts';

interface Progress {
  stage: string;
  secondsLeft: number | null;
  doneSeconds: number | null;
  totalSeconds: number | null;
}

const nothing = () => {};

export function LiveText({ facts, ended }: { facts: TranscriptFacts; ended(): void }) {
  const words = text.transcript;
  const lines = useSignal<readonly Line[]>([]);
  const progress = useSignal<Progress | undefined>(undefined);
  useEffect(() => {
    const left = new AbortController();
    const follow = async () => {
      for await (const event of longhand.transcriptions.events(facts.id, { signal: left.signal })) {
        if (event.type === 'text') {
          const from = event.data.sequence - event.data.segments.length;
          const added = event.data.segments.map((segment, i) => liveLine(segment, from + i));
          lines.value = [...lines.value.slice(0, from), ...added];
        } else if (event.type === 'progress') progress.value = progressOf(event.data);
        else break;
      }
    };
    follow().then(ended, () => {
      if (!left.signal.aborted) ended();
    });
    return () => left.abort();
  }, [facts, ended, lines, progress]);
  const { secondsLeft, doneSeconds, totalSeconds } = progress.value ?? {};
  return (
    <>
      <Heading facts={facts}>
        <span class="chip">
          {words.beingWritten}
          {secondsLeft ? ` · ${text.library.left(duration(secondsLeft))}` : ''}
        </span>
      </Heading>
      <LineList
        lines={lines.value}
        keptId={undefined}
        onReady={nothing}
        onPlace={nothing}
        render={(line, index) => (
          <LineRow
            line={line}
            name={undefined}
            voice={undefined}
            isTurn={index === 0}
            isSaid={false}
            actions={undefined}
            hear={nothing}
          />
        )}
      />
      <div class="turn">
        <p class="pen num" role="status">
          <i />
          {totalSeconds
            ? words.writtenTo(position(doneSeconds ?? 0), position(totalSeconds))
            : text.library.queued}
        </p>
      </div>
    </>
  );
}

function liveLine(segment: { start: number; end: number; text: string }, index: number): Line {
  const { start, end, text: said } = segment;
  return { id: `live-${index}`, startMs: start * 1000, endMs: end * 1000, text: said, speaker: null };
}

function progressOf(data: {
  stage: string;
  seconds_left: number | null;
  audio_seconds_done: number | null;
  audio_seconds_total: number | null;
}): Progress {
  return {
    stage: data.stage,
    secondsLeft: data.seconds_left,
    doneSeconds: data.audio_seconds_done,
    totalSeconds: data.audio_seconds_total,
  };
}
