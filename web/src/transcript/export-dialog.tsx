/** Taking the text away: as a file, or by the clipboard. */
import { useSignal } from '@preact/signals';
import { position } from '../format.ts';
import { text } from '../text.ts';
import { Dialog } from './dialog.tsx';
import type { Editor } from './editor.ts';
import type { TranscriptRequests } from './transcript-requests.ts';

const formats = ['txt', 'docx', 'srt', 'vtt', 'json'] as const;
const importFormats = ['srt', 'vtt', 'json'];

interface ExportDialogProps {
  editor: Editor;
  requests: TranscriptRequests;
  nameOf(speaker: string): string;
  close(): void;
  imported(): void;
}

export function ExportDialog({ editor, requests, nameOf, close, imported }: ExportDialogProps) {
  const words = text.transcript;
  const format = useSignal<(typeof formats)[number]>('txt');
  const isMachine = useSignal(false);
  const hasTimes = useSignal(true);
  const columns = useSignal(42);
  const lines = useSignal('2');
  const isSubtitle = format.value === 'srt' || format.value === 'vtt';
  const url = requests.exportUrl({
    format: format.value,
    text: isMachine.value ? 'machine' : 'edited',
    times: String(hasTimes.value),
    ...(isSubtitle ? { columns: String(columns.value), lines: lines.value } : {}),
  });
  return (
    <Dialog title={words.exportTitle} close={close}>
      <div class="segmented" role="radiogroup" aria-label={words.format}>
        {formats.map((one) => (
          <label key={one}>
            <input
              type="radio"
              name="format"
              checked={format.value === one}
              onChange={() => {
                format.value = one;
              }}
            />
            <span>{one.toUpperCase()}</span>
          </label>
        ))}
      </div>
      <p class="small quiet">{words.formatHint[format.value]}</p>
      <label class="check">
        <input
          type="checkbox"
          checked={isMachine.value}
          onChange={(event) => {
            isMachine.value = event.currentTarget.checked;
          }}
        />
        {words.machineText}
      </label>
      {(format.value === 'txt' || format.value === 'docx') && (
        <label class="check">
          <input
            type="checkbox"
            checked={hasTimes.value}
            onChange={(event) => {
              hasTimes.value = event.currentTarget.checked;
            }}
          />
          {words.withTimes}
        </label>
      )}
      {isSubtitle && (
        <div class="row start">
          <label>
            {words.columns}{' '}
            <input
              class="field tight num"
              type="number"
              min="16"
              max="100"
              value={columns.value}
              onChange={(event) => {
                columns.value = Math.min(100, Math.max(16, Number(event.currentTarget.value) || 42));
              }}
            />
          </label>
          <label>
            {words.linesPerCue}{' '}
            <select
              class="field tight"
              value={lines.value}
              onChange={(event) => {
                lines.value = event.currentTarget.value;
              }}
            >
              <option>1</option>
              <option>2</option>
            </select>
          </label>
        </div>
      )}
      <a class="btn main" href={url} download onClick={() => void editor.save.flush()}>
        {words.download}
      </a>
      <hr />
      <div class="row start">
        <Copy label={words.copyText} content={() => copied(editor, nameOf, false)} />
        <Copy label={words.copyWithTimes} content={() => copied(editor, nameOf, true)} />
        <Import requests={requests} done={imported} />
      </div>
    </Dialog>
  );
}

function Copy({ label, content }: { label: string; content(): string }) {
  const isDone = useSignal(false);
  return (
    <button
      type="button"
      class="btn small"
      onClick={() => {
        void navigator.clipboard?.writeText(content()).then(() => {
          isDone.value = true;
        });
      }}
    >
      {isDone.value ? text.transcript.copied : label}
    </button>
  );
}

function Import({ requests, done }: { requests: TranscriptRequests; done(): void }) {
  const trouble = useSignal('');
  const take = async (file: File | undefined) => {
    if (!file) return;
    const format = file.name.split('.').at(-1)?.toLowerCase() ?? '';
    if (!importFormats.includes(format)) {
      trouble.value = text.transcript.importTypes;
      return;
    }
    try {
      await requests.importFile(format, await file.text());
      done();
    } catch (error) {
      trouble.value = (error as Error).message;
    }
  };
  return (
    <>
      <label class="btn small">
        {text.transcript.importFile}
        <input
          type="file"
          class="hidden"
          accept=".srt,.vtt,.json"
          onChange={(event) => void take(event.currentTarget.files?.[0])}
        />
      </label>
      {trouble.value && (
        <p class="notice bad" role="alert">
          {trouble.value}
        </p>
      )}
    </>
  );
}

/** A paragraph for each turn. */
function copied(editor: Editor, nameOf: (speaker: string) => string, hasTimes: boolean): string {
  const paragraphs: string[] = [];
  let speaker: string | null | undefined;
  for (const line of editor.lines.value) {
    const isTurn = paragraphs.length === 0 || line.speaker !== speaker;
    speaker = line.speaker;
    const time = hasTimes ? `[${position(line.startMs / 1000)}] ` : '';
    const who = line.speaker === null ? '' : `${nameOf(line.speaker)}: `;
    if (isTurn) paragraphs.push(`${time}${who}${line.text}`);
    else paragraphs.push(`${paragraphs.pop()} ${line.text}`);
  }
  return paragraphs.join('\n\n');
}
