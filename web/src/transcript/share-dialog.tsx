/** Links by which others read this transcript. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { day } from '../format.ts';
import { text } from '../text.ts';
import { Dialog } from './dialog.tsx';
import type { SharedLink, TranscriptRequests } from './transcript-requests.ts';

const lifetimes = [1, 7, 30, 90] as const;

interface ShareDialogProps {
  requests: TranscriptRequests;
  isPublished: boolean;
  setPublished(isPublished: boolean): Promise<void>;
  close(): void;
}

export function ShareDialog({ requests, isPublished, setPublished, close }: ShareDialogProps) {
  const words = text.transcript;
  const links = useSignal<readonly SharedLink[]>([]);
  const made = useSignal<string | undefined>(undefined);
  const days = useSignal(7);
  const trouble = useSignal('');
  const attempt = async (work: () => Promise<void>) => {
    trouble.value = '';
    try {
      await work();
      links.value = await requests.shares();
    } catch (error) {
      trouble.value = (error as Error).message;
    }
  };
  useEffect(() => void attempt(async () => {}), []);
  const create = () =>
    attempt(async () => {
      const { path = '' } = await requests.share(days.value);
      made.value = new URL(path, location.href).href;
    });
  return (
    <Dialog title={words.shareTitle} close={close}>
      <p class="small quiet">{words.shareHint}</p>
      <div class="row start">
        <label>
          {words.shareFor}{' '}
          <select
            class="field tight"
            value={String(days.value)}
            onChange={(event) => {
              days.value = Number(event.currentTarget.value);
            }}
          >
            {lifetimes.map((one) => (
              <option key={one} value={String(one)}>
                {words.days(one)}
              </option>
            ))}
          </select>
        </label>
        <button type="button" class="btn main" onClick={() => void create()}>
          {words.shareCreate}
        </button>
      </div>
      {made.value && (
        <label class="stack small">
          {words.shareMade}
          <input
            class="field full"
            readOnly
            value={made.value}
            onFocus={(event) => event.currentTarget.select()}
          />
        </label>
      )}
      {links.value.length > 0 && (
        <ul class="plain">
          {links.value.map(({ id, expires_at }) => (
            <li key={id} class="small num">
              {words.shareUntil(day(expires_at))}
              <button type="button" class="btn small" onClick={() => void attempt(() => requests.revoke(id))}>
                {words.revoke}
              </button>
            </li>
          ))}
        </ul>
      )}
      <hr />
      <label class="check">
        <input
          type="checkbox"
          checked={isPublished}
          onChange={(event) => {
            const { checked } = event.currentTarget;
            void attempt(() => setPublished(checked));
          }}
        />
        <span>
          {words.publish}
          <br />
          <span class="small quiet">{words.publishHint}</span>
        </span>
      </label>
      {trouble.value && (
        <p class="notice bad" role="alert">
          {trouble.value}
        </p>
      )}
    </Dialog>
  );
}
