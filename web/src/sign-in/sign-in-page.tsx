import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { codeOf } from '../request.ts';
import { session, signIn } from '../session.ts';
import { text } from '../text.ts';

/** By a one-time link or a pasted key. A link is used only by its button: what looks at links in advance uses none up. */
export function SignInPage() {
  const { path, query, route } = useLocation();
  const token = useSignal(query.token);
  const trouble = useSignal(query.problem === undefined ? undefined : text.signIn.identityRefused);
  const isBusy = useSignal(false);
  useEffect(() => {
    document.title = `${text.signIn.title} · Longhand`;
    // The token does not stay in the history.
    if (query.token !== undefined || query.problem !== undefined) history.replaceState(null, '', path);
  }, [query.token, query.problem, path]);

  const enter = async (by: Parameters<typeof signIn>[0], refused: string) => {
    isBusy.value = true;
    trouble.value = undefined;
    try {
      await signIn(by);
      if (path === '/signin') route('/', true);
    } catch (error) {
      token.value = undefined;
      trouble.value = codeOf(error) === 'sign_in_refused' ? refused : text.unreachable;
    } finally {
      isBusy.value = false;
    }
  };
  const submitKey = (event: SubmitEvent) => {
    event.preventDefault();
    const field = (event.currentTarget as HTMLFormElement).elements.namedItem('key') as HTMLInputElement;
    void enter({ api_key: field.value.trim() }, text.signIn.keyRefused);
  };

  return (
    <main class="page narrow sign-in">
      <p class="mark" aria-hidden="true">
        Longhand
      </p>
      <h1>{text.signIn.title}</h1>
      {trouble.value && (
        <p class="notice bad" role="alert">
          {trouble.value}
        </p>
      )}
      {token.value === undefined ? (
        <>
          {session.value.state === 'signed-out' && session.value.hasIdentityProvider && (
            <a class="btn main" href="/signin/identity">
              {text.signIn.withIdentity}
            </a>
          )}
          <p class="quiet">{text.signIn.withoutLink}</p>
          <form class="stack" onSubmit={submitKey}>
            <label class="stack">
              {text.signIn.withKey}
              <input
                class="field"
                name="key"
                type="password"
                autocomplete="off"
                required
                spellcheck={false}
              />
            </label>
            <p class="small quiet">{text.signIn.withKeyHint}</p>
            <button class="btn main" type="submit" disabled={isBusy.value}>
              {text.signIn.submit}
            </button>
          </form>
        </>
      ) : (
        <>
          <p class="quiet">{text.signIn.withLink}</p>
          <button
            class="btn main"
            type="button"
            disabled={isBusy.value}
            onClick={() => void enter({ token: token.value ?? '' }, text.signIn.refused)}
          >
            {text.signIn.open}
          </button>
        </>
      )}
    </main>
  );
}
