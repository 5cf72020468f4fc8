import { useSignal } from '@preact/signals';
import { count, day } from '../format.ts';
import { request } from '../request.ts';
import { Secret } from '../settings/secret.tsx';
import { text } from '../text.ts';
import { toast } from '../toast.tsx';
import type { Overview } from './overview.ts';

type Account = Overview['accounts'][number];

export function AccountTable(props: Pick<Overview, 'accounts' | 'plans'> & { reload(): Promise<void> }) {
  const { accounts, plans, reload } = props;
  const link = useSignal<{ name: string; url: string } | undefined>(undefined);
  const attempt = async (work: () => Promise<unknown>) => {
    await work().catch((error: Error) => toast(error.message, { isBad: true }));
    await reload();
  };
  const makeLink = ({ id, name }: Account) =>
    attempt(async () => {
      const made = await request<{ url: string }>('POST', `/web/operator/accounts/${id}/signin`);
      link.value = { name, url: made.url };
    });
  return (
    <section class="panel">
      <h2>{text.operator.accounts}</h2>
      <CreateForm plans={plans} attempt={attempt} />
      {link.value && <Secret hint={text.operator.linkMade(link.value.name)} value={link.value.url} />}
      <div class="scroll">
        <table class="list">
          <thead>
            <tr>
              <th>{text.operator.name}</th>
              <th>{text.operator.plan}</th>
              <th>{text.operator.jobs}</th>
              <th>{text.operator.since}</th>
              <th>
                <span class="hidden-text">{text.operator.link}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {accounts.map((one) => (
              <tr key={one.id}>
                <td dir="auto">
                  {one.name} {one.is_operator && <span class="chip">{text.operator.operatorMark}</span>}
                </td>
                <td>
                  <select
                    aria-label={`${text.operator.plan}: ${one.name}`}
                    value={one.plan}
                    onChange={(event) => {
                      const plan = event.currentTarget.value;
                      void attempt(() =>
                        request('PATCH', `/web/operator/accounts/${one.id}`, { body: { plan } }),
                      );
                    }}
                  >
                    {plans.map((plan) => (
                      <option key={plan}>{plan}</option>
                    ))}
                  </select>
                </td>
                <td class="num">{count(one.jobs)}</td>
                <td class="num">{day(one.created_at)}</td>
                <td>
                  <button
                    type="button"
                    class="btn small"
                    aria-label={text.operator.linkFor(one.name)}
                    onClick={() => void makeLink(one)}
                  >
                    {text.operator.link}
                  </button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function CreateForm(props: {
  plans: readonly string[];
  attempt(work: () => Promise<unknown>): Promise<void>;
}) {
  const create = (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const fields = new FormData(form);
    const body = { name: String(fields.get('name')), plan: String(fields.get('plan')) };
    void props.attempt(async () => {
      await request('POST', '/web/operator/accounts', { body });
      form.reset();
    });
  };
  return (
    <form class="form-row" onSubmit={create}>
      <label>
        {text.operator.name}
        <input class="field" name="name" required maxLength={200} />
      </label>
      <label>
        {text.operator.plan}
        <select class="field" name="plan">
          {props.plans.map((plan) => (
            <option key={plan}>{plan}</option>
          ))}
        </select>
      </label>
      <button class="btn" type="submit">
        {text.operator.create}
      </button>
    </form>
  );
}
