import { signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { bytes } from '../format.ts';
import { lazyPage } from '../lazy-page.tsx';
import { account } from '../session.ts';
import { text } from '../text.ts';
import { toast } from '../toast.tsx';
import { createFromLink } from './create-job.ts';
import { acceptedFiles, allowanceProblem, leftToday } from './file-problem.ts';
import { addFiles, uploads } from './uploads.ts';

const Recorder = lazyPage(() => import('./recorder.tsx').then((m) => m.Recorder));
const speakersName = 'longhand-speakers';

const wantsSpeakers = signal(localStorage.getItem(speakersName) === 'yes');

/** On a plan without it the switch is off, whatever was chosen before. */
const speakers = () => wantsSpeakers.value && account().plan.speaker_diarization;

export function AddSection() {
  const isRecording = useSignal(false);
  const isOver = useFilesOnPage();
  const link = useSharedLink();
  const { plan } = account();
  const chooser = useRef<HTMLInputElement>(null);
  return (
    <section class={isOver ? 'drop over' : 'drop'} aria-label={text.add.section}>
      <h1>{isOver ? text.add.dropHere : text.add.title}</h1>
      <p class="quiet">{text.add.hint(bytes(plan.file_bytes_max))}</p>
      {isRecording.value ? (
        <Recorder
          close={() => (isRecording.value = false)}
          done={(file: File) => void addFiles([file], speakers())}
        />
      ) : (
        <div class="row">
          <button type="button" class="btn main" onClick={() => chooser.current?.click()}>
            {text.add.choose}
          </button>
          <input
            ref={chooser}
            type="file"
            multiple
            hidden
            accept={acceptedFiles}
            onChange={(event) => {
              void addFiles([...(event.currentTarget.files ?? [])], speakers());
              event.currentTarget.value = '';
            }}
          />
          <button type="button" class="btn" onClick={() => (isRecording.value = true)}>
            {text.add.record}
          </button>
          <LinkForm initial={link} />
        </div>
      )}
      <SpeakerSwitch />
    </section>
  );
}

function SpeakerSwitch() {
  const isAllowed = account().plan.speaker_diarization;
  const set = (isWanted: boolean) => {
    wantsSpeakers.value = isWanted;
    localStorage.setItem(speakersName, isWanted ? 'yes' : 'no');
  };
  return (
    <div class="stack tight">
      <label class="small check">
        <input
          type="checkbox"
          checked={speakers()}
          disabled={!isAllowed}
          onChange={(event) => set(event.currentTarget.checked)}
        />
        {text.add.speakers}
      </label>
      {!isAllowed && <p class="small quiet">{text.add.speakersPro}</p>}
    </div>
  );
}

function LinkForm({ initial }: { initial: string }) {
  const value = useSignal(initial);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    if (await addLinks(value.value)) value.value = '';
  };
  return (
    <form class="link-form" onSubmit={(event) => void submit(event)}>
      <input
        class="field"
        inputMode="url"
        placeholder={text.add.link}
        aria-label={text.add.linkLabel}
        value={value.value}
        onInput={(event) => (value.value = event.currentTarget.value)}
      />
      {value.value.trim() !== '' && (
        <button class="btn" type="submit">
          {text.add.addLink}
        </button>
      )}
    </form>
  );
}

/** One job for each link in the text; true when all of them were taken. */
async function addLinks(given: string): Promise<boolean> {
  const links = given.split(/\s+/).filter((one) => one !== '');
  const wrong = links.find((one) => !isLink(one));
  if (wrong !== undefined || links.length === 0) {
    toast(text.add.notLink(wrong ?? given), { isBad: true });
    return false;
  }
  const person = account();
  const left = leftToday(person, uploads.value.length);
  if (links.length > left) {
    toast(allowanceProblem(person, left), { isBad: true });
    return false;
  }
  for (const link of links) if (!(await createFromLink(link, speakers()))) return false;
  return true;
}

function isLink(word: string): boolean {
  return URL.canParse(word) && /^https?:$/.test(new URL(word).protocol);
}

/** Files may be dropped or pasted anywhere on the page, and links pasted. True while files are held over it. */
function useFilesOnPage(): boolean {
  const isOver = useSignal(false);
  useEffect(() => {
    const left = new AbortController();
    const { signal: until } = left;
    const holdsFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') === true;
    const over = (event: DragEvent) => {
      if (!holdsFiles(event)) return;
      event.preventDefault();
      isOver.value = true;
    };
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) isOver.value = false;
    };
    const drop = (event: DragEvent) => {
      isOver.value = false;
      if (!holdsFiles(event)) return;
      event.preventDefault();
      void addFiles([...(event.dataTransfer?.files ?? [])], speakers());
    };
    const paste = (event: ClipboardEvent) => {
      const files = [...(event.clipboardData?.files ?? [])];
      if (files.length > 0) void addFiles(files, speakers());
      if (files.length > 0 || event.target instanceof HTMLInputElement) return;
      const words = event.clipboardData?.getData('text/plain') ?? '';
      if (words.split(/\s+/).some(isLink)) void addLinks(words);
    };
    document.addEventListener('dragover', over, { signal: until });
    document.addEventListener('dragleave', leave, { signal: until });
    document.addEventListener('drop', drop, { signal: until });
    document.addEventListener('paste', paste, { signal: until });
    return () => left.abort();
  }, [isOver]);
  return isOver.value;
}

/** A link that another app of a phone shared comes in the address; it waits in the field for its button. */
function useSharedLink(): string {
  const shared = new URLSearchParams(location.search);
  const words = [shared.get('url'), shared.get('text'), shared.get('title')].join(' ').split(/\s+/);
  const link = useRef(words.find(isLink) ?? '');
  useEffect(() => {
    if (link.current !== '') history.replaceState(null, '', '/');
  }, []);
  return link.current;
}
