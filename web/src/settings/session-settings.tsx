import { when } from '../format.ts';
import { useLoaded } from '../load.ts';
import { request } from '../request.ts';
import { signOut } from '../session.ts';
import { Loading, Trouble } from '../states.tsx';
import { chooseLanguage, language, text } from '../text.ts';
import { toast } from '../toast.tsx';

interface Session {
  id: string;
  is_current: boolean;
  user_agent: string;
  last_seen_at: string;
}

const languages = { en: 'English', de: 'Deutsch' } as const;

export function SessionSettings() {
  const { data, isBroken, reload } = useLoaded<Session[]>('/web/sessions');
  const end = async ({ id, is_current: isCurrent }: Session) => {
    if (isCurrent) return signOut();
    await request('DELETE', `/web/sessions/${id}`).catch(() => toast(text.settings.notDone, { isBad: true }));
    return reload();
  };
  return (
    <>
      <section class="panel">
        <h2>{text.sessions.browsers}</h2>
        {isBroken.value && <Trouble retry={reload}>{text.settings.notLoaded}</Trouble>}
        {!data.value && !isBroken.value && <Loading />}
        <ul class="rows">
          {data.value?.map((one) => (
            <li key={one.id}>
              <div class="main">
                <strong>{browserName(one.user_agent)}</strong>
                <p class="small quiet num">
                  {one.is_current ? text.sessions.here : text.sessions.seen(when(one.last_seen_at))}
                </p>
              </div>
              <button type="button" class="btn small" onClick={() => void end(one)}>
                {text.sessions.end}
              </button>
            </li>
          ))}
        </ul>
      </section>
      <section class="panel">
        <h2>{text.sessions.language}</h2>
        <div class="filters">
          {(Object.keys(languages) as (keyof typeof languages)[]).map((one) => (
            <label key={one}>
              <input
                type="radio"
                name="language"
                checked={one === language}
                onChange={() => chooseLanguage(one)}
              />
              <span lang={one}>{languages[one]}</span>
            </label>
          ))}
        </div>
      </section>
    </>
  );
}

/** `Firefox · Linux`; whatever it says where that is not known. */
function browserName(agent: string): string {
  const browser = /(Firefox|Edg|OPR|Chrome|Safari)\//.exec(agent)?.[1] ?? '';
  const system = /(Android|iPhone|iPad|Windows|Mac OS X|Linux)/.exec(agent)?.[1] ?? '';
  const names: Record<string, string> = { Edg: 'Edge', OPR: 'Opera', 'Mac OS X': 'macOS' };
  const known = [browser, system].filter((one) => one !== '').map((one) => names[one] ?? one);
  return known.length > 0 ? known.join(' · ') : agent.slice(0, 60) || '?';
}
