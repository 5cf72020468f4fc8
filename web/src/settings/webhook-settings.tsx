import { useSignal } from '@preact/signals';
import type { WebhookSubscription } from 'longhand-client';
import { useEffect } from 'preact/hooks';
import { day } from '../format.ts';
import { longhand, request } from '../request.ts';
import { Loading, Trouble } from '../states.tsx';
import { text } from '../text.ts';
import { toast } from '../toast.tsx';
import { DeliveryLog } from './delivery-log.tsx';
import { Secret } from './secret.tsx';

const eventTypes = ['completed', 'failed'] as const;

export function WebhookSettings() {
  const subscriptions = useSignal<readonly WebhookSubscription[] | undefined>(undefined);
  const isBroken = useSignal(false);
  const secret = useSignal<string | undefined>(undefined);
  /** Counts what may have changed the log. */
  const sent = useSignal(0);
  const reload = async () => {
    try {
      subscriptions.value = await longhand.webhooks.list();
      isBroken.value = false;
    } catch {
      isBroken.value = true;
    }
  };
  useEffect(() => void reload(), []);
  const create = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const fields = new FormData(form);
    const events = eventTypes.filter((one) => fields.has(one)).map((one) => `transcription.${one}` as const);
    try {
      const made = await longhand.webhooks.create({ url: String(fields.get('url')), events });
      secret.value = made.signing_secret;
      form.reset();
      await reload();
    } catch (error) {
      toast((error as Error).message, { isBad: true });
    }
  };
  return (
    <>
      <p class="quiet">{text.webhooks.hint}</p>
      <section class="panel">
        <form class="stack" onSubmit={(event) => void create(event)}>
          <div class="form-row">
            <label>
              {text.webhooks.url}
              <input class="field" name="url" type="url" required maxLength={2048} placeholder="https://" />
            </label>
            <button class="btn main" type="submit">
              {text.webhooks.create}
            </button>
          </div>
          <div class="row start">
            {eventTypes.map((one) => (
              <label key={one} class="small check">
                <input type="checkbox" name={one} defaultChecked />
                {text.webhooks[one]}
              </label>
            ))}
          </div>
        </form>
        {secret.value && <Secret hint={text.webhooks.made} value={secret.value} />}
        {isBroken.value && <Trouble retry={reload}>{text.settings.notLoaded}</Trouble>}
        {subscriptions.value ? (
          <SubscriptionList
            subscriptions={subscriptions.value}
            reload={reload}
            onSent={() => (sent.value += 1)}
          />
        ) : (
          !isBroken.value && <Loading />
        )}
      </section>
      <DeliveryLog sent={sent.value} />
    </>
  );
}

function SubscriptionList(props: {
  subscriptions: readonly WebhookSubscription[];
  reload(): Promise<void>;
  onSent(): void;
}) {
  const { subscriptions, reload, onSent } = props;
  const test = async (id: string) => {
    try {
      await request('POST', `/web/webhook-subscriptions/${id}/test`);
      toast(text.webhooks.tested);
      onSent();
    } catch {
      toast(text.settings.notDone, { isBad: true });
    }
  };
  const remove = async ({ id, url }: WebhookSubscription) => {
    if (!confirm(text.webhooks.sure(url))) return;
    await longhand.webhooks.delete(id).catch(() => toast(text.settings.notDone, { isBad: true }));
    await reload();
  };
  if (subscriptions.length === 0) return <p class="quiet">{text.webhooks.none}</p>;
  return (
    <ul class="rows">
      {subscriptions.map((one) => (
        <li key={one.id}>
          <div class="main">
            <strong>{one.url}</strong>
            <p class="small quiet num">
              {one.status === 'disabled' ? text.webhooks.disabled : eventsOf(one)} · {day(one.created_at)}
            </p>
          </div>
          {one.status === 'active' && (
            <button type="button" class="btn small" onClick={() => void test(one.id)}>
              {text.webhooks.test}
            </button>
          )}
          <button type="button" class="btn small bad" onClick={() => void remove(one)}>
            {text.webhooks.remove}
          </button>
        </li>
      ))}
    </ul>
  );
}

function eventsOf({ events }: WebhookSubscription): string {
  return eventTypes
    .filter((one) => events.includes(`transcription.${one}`))
    .map((one) => text.webhooks[one])
    .join(', ');
}
