import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { createFromLink } from '../add/create-job.ts';
import { duration, roughly, when } from '../format.ts';
import { Icon } from '../icon.tsx';
import { request } from '../request.ts';
import { locale, text } from '../text.ts';
import { toast } from '../toast.tsx';
import { changeEntry, type Entry } from './library.ts';
import { remove } from './removal.ts';

const languageNames = new Intl.DisplayNames([locale], { type: 'language', fallback: 'none' });

export function EntryRow({ entry }: { entry: Entry }) {
  const isRenaming = useSignal(false);
  const isRunning = entry.status === 'processing';
  return (
    <article class={`entry ${entry.status}`}>
      <div class="entry-main">
        {isRenaming.value ? (
          <RenameForm entry={entry} close={() => (isRenaming.value = false)} />
        ) : (
          <h2 dir="auto">
            <a href={`/transcripts/${entry.id}`}>{entry.name}</a>
          </h2>
        )}
        {entry.status === 'failed' ? (
          <p class="small failure">{entry.error}</p>
        ) : (
          <p class="small quiet num">{factsOf(entry).join(' · ')}</p>
        )}
        {isRunning && entry.last_words && (
          <p class="live" dir="auto">
            … {entry.last_words}
          </p>
        )}
      </div>
      <EntryEnd entry={entry} rename={() => (isRenaming.value = true)} />
      {isRunning && (
        <progress
          class="bar"
          max={100}
          value={entry.percent}
          aria-label={`${entry.name}: ${text.library[entry.stage]}`}
        />
      )}
    </article>
  );
}

function EntryEnd({ entry, rename }: { entry: Entry; rename(): void }) {
  const { source_url: link } = entry;
  return (
    <div class="entry-end">
      {entry.status === 'processing' && <span class="small quiet num">{remaining(entry)}</span>}
      {entry.status === 'failed' && <span class="chip bad">{text.library.failedChip}</span>}
      {entry.status === 'failed' && link !== null && (
        <button
          type="button"
          class="btn small"
          onClick={() => void createFromLink(link, entry.speaker_diarization)}
        >
          {text.library.again}
        </button>
      )}
      <button
        type="button"
        class="btn icon plain"
        aria-label={text.library.rename(entry.name)}
        onClick={rename}
      >
        <Icon name="pencil" />
      </button>
      <button
        type="button"
        class="btn icon plain"
        aria-label={text.library.remove(entry.name)}
        onClick={() => remove(entry)}
      >
        <Icon name="bin" />
      </button>
    </div>
  );
}

function RenameForm({ entry, close }: { entry: Entry; close(): void }) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.select(), []);
  const save = async (event: SubmitEvent) => {
    event.preventDefault();
    const name = field.current?.value.trim() ?? '';
    close();
    if (name === entry.name) return;
    changeEntry(entry.id, { name: name || entry.filename });
    try {
      await request('PATCH', `/web/library/${entry.id}`, { body: { name } });
    } catch {
      changeEntry(entry.id, { name: entry.name });
      toast(text.library.notRenamed, { isBad: true });
    }
  };
  return (
    <form class="rename" onSubmit={(event) => void save(event)}>
      <input
        ref={field}
        class="field"
        aria-label={text.library.newName}
        maxLength={240}
        defaultValue={entry.name}
        onKeyDown={(event) => event.key === 'Escape' && close()}
      />
      <button class="btn small" type="submit">
        {text.library.save}
      </button>
      <button class="btn small plain" type="button" onClick={close}>
        {text.cancel}
      </button>
    </form>
  );
}

function factsOf(entry: Entry): string[] {
  const { duration_seconds: seconds, language, notes } = entry;
  const name = language ? languageNames.of(language) : undefined;
  return [
    ...(entry.status === 'processing' ? [text.library[entry.stage]] : []),
    ...(seconds === null ? [] : [duration(seconds)]),
    ...(name ? [name] : []),
    ...(entry.speaker_diarization ? [text.library.speakers] : []),
    ...(notes.includes('truncated') ? [text.library.truncated] : []),
    ...(entry.status === 'processing' ? [] : [when(entry.created_at)]),
  ];
}

function remaining({ stage, percent, seconds_left: left }: Entry): string {
  if (stage === 'waiting' || stage === 'queued') return '';
  return left === null ? `${percent} %` : `${percent} % · ${text.library.left(roughly(left))}`;
}
