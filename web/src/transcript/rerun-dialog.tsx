/** Which lines are to be recognised again, in which language and by which model. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { position } from '../format.ts';
import { codeOf } from '../request.ts';
import { languageName, locale, text } from '../text.ts';
import { Dialog } from './dialog.tsx';
import type { Line } from './line.ts';
import type { Reruns } from './reruns.ts';
import type { RerunChoices, TranscriptRequests } from './transcript-requests.ts';

interface RerunDialogProps {
  line: Line;
  lines: readonly Line[];
  /** Of the recording. */
  language: string | null;
  reruns: Reruns;
  requests: TranscriptRequests;
  close(): void;
}

export function RerunDialog({ line, lines, language, reruns, requests, close }: RerunDialogProps) {
  const words = text.rerun;
  const choices = useSignal<RerunChoices | undefined>(undefined);
  const trouble = useSignal('');
  useEffect(() => {
    requests.rerunChoices().then(
      (known) => {
        choices.value = known;
      },
      () => {
        trouble.value = text.unreachable;
      },
    );
  }, [requests, choices, trouble]);
  return (
    <Dialog title={words.title} close={close}>
      {choices.value?.is_kept === false && <p class="notice">{words.failures.media_gone}</p>}
      {!choices.value && !trouble.value && (
        <p class="quiet" role="status">
          {text.loading}
        </p>
      )}
      {choices.value?.is_kept && (
        <Choice
          choices={choices.value}
          passage={passageFrom(lines, line, choices.value)}
          likely={likelyLanguages(choices.value, language)}
          ask={async (wanted, options) => {
            try {
              await reruns.ask(wanted, options);
              close();
            } catch (error) {
              trouble.value = words.refusals[codeOf(error)] ?? text.unreachable;
            }
          }}
        />
      )}
      {trouble.value && (
        <p class="notice bad" role="alert">
          {trouble.value}
        </p>
      )}
    </Dialog>
  );
}

interface ChoiceProps {
  choices: RerunChoices;
  /** From the line on, as much as can be asked for at once. */
  passage: readonly Line[];
  likely: readonly string[];
  ask(lines: readonly Line[], options: { language: string | null; engine: string | null }): Promise<void>;
}

function Choice({ choices, passage, likely, ask }: ChoiceProps) {
  const words = text.rerun;
  const count = useSignal(1);
  const language = useSignal('');
  const engine = useSignal('');
  const isAsking = useSignal(false);
  const wanted = passage.slice(0, count.value);
  const speaks = ({ languages }: RerunChoices['engines'][number]) =>
    language.value === '' || languages.includes('*') || languages.includes(language.value);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    isAsking.value = true;
    await ask(wanted, { language: language.value || null, engine: engine.value || null });
    isAsking.value = false;
  };
  return (
    <form class="stack" onSubmit={submit}>
      <blockquote class="passage">
        <p class="small quiet num">{timesOf(wanted)}</p>
        <p class="said">{wanted.map((one) => one.text).join(' ')}</p>
      </blockquote>
      {passage.length > 1 && (
        <label class="form-line">
          {words.lines}
          <input
            class="field tight num"
            type="number"
            min="1"
            max={passage.length}
            value={count.value}
            onInput={(event) => {
              const lines = Math.round(Number(event.currentTarget.value));
              if (lines >= 1) count.value = Math.min(passage.length, lines);
            }}
          />
        </label>
      )}
      <label class="form-line">
        {words.language}
        <select
          class="field"
          value={language.value}
          onChange={(event) => {
            language.value = event.currentTarget.value;
            const chosen = choices.engines.find(({ id }) => id === engine.value);
            if (chosen && !speaks(chosen)) engine.value = '';
          }}
        >
          <option value="">{words.findOut}</option>
          {likely.map((code) => (
            <option key={code} value={code}>
              {languageName(code)}
            </option>
          ))}
          <hr />
          {byName(choices.languages.filter((code) => !likely.includes(code))).map(([code, name]) => (
            <option key={code} value={code}>
              {name}
            </option>
          ))}
        </select>
      </label>
      {choices.engines.length > 1 && (
        <label class="form-line">
          {words.model}
          <select
            class="field"
            value={engine.value}
            onChange={(event) => {
              engine.value = event.currentTarget.value;
            }}
          >
            <option value="">{words.usualModel}</option>
            {choices.engines.map((one) => (
              <option key={one.id} value={one.id} disabled={!speaks(one)}>
                {one.title}
              </option>
            ))}
          </select>
        </label>
      )}
      <p class="small quiet">{words.hint}</p>
      <button type="submit" class="btn main" disabled={isAsking.value}>
        {words.go}
      </button>
    </form>
  );
}

function passageFrom(lines: readonly Line[], line: Line, limits: RerunChoices): Line[] {
  const from = lines.findIndex(({ id }) => id === line.id);
  const passage = from < 0 ? [line] : lines.slice(from, from + limits.lines_max);
  const untilMs = line.startMs + limits.seconds_max * 1000;
  const end = passage.findIndex(({ endMs }) => endMs > untilMs);
  return end < 0 ? passage : passage.slice(0, Math.max(1, end));
}

function timesOf(lines: readonly Line[]): string {
  const endMs = Math.max(...lines.map((line) => line.endMs));
  return `${position((lines[0]?.startMs ?? 0) / 1000)} – ${position(Math.ceil(endMs / 1000))}`;
}

/** The recording's own, and those that the reader's browser asks for. */
function likelyLanguages({ languages }: RerunChoices, own: string | null): string[] {
  const wanted = [own ?? '', ...navigator.languages.map((one) => one.split('-')[0] ?? ''), 'en'];
  return [...new Set(wanted)].filter((code) => languages.includes(code));
}

function byName(codes: readonly string[]): [code: string, name: string][] {
  const { compare } = new Intl.Collator(locale);
  return codes
    .map((code): [string, string] => [code, languageName(code) ?? code])
    .toSorted(([, a], [, b]) => compare(a, b));
}
