import { useEffect } from 'preact/hooks';
import { LocationProvider, Route, Router, useLocation } from 'preact-iso';
import { lazyPage } from './lazy-page.tsx';
import { LibraryPage } from './library/library-page.tsx';
import { loadSession, session } from './session.ts';
import { Loading, Trouble } from './states.tsx';
import { text } from './text.ts';
import { Toasts } from './toast.tsx';

const TranscriptPage = lazyPage(() =>
  import('./transcript/transcript-page.tsx').then((m) => m.TranscriptPage),
);
const SharedPage = lazyPage(() => import('./transcript/shared-page.tsx').then((m) => m.SharedPage));
const SignInPage = lazyPage(() => import('./sign-in/sign-in-page.tsx').then((m) => m.SignInPage));
const SettingsPage = lazyPage(() => import('./settings/settings-page.tsx').then((m) => m.SettingsPage));
const OperatorPage = lazyPage(() => import('./operator/operator-page.tsx').then((m) => m.OperatorPage));

/** Addresses of the pages; every other link leads to the service itself. */
const scope = /^\/(?:$|\?|#|transcripts\/|shared\/|settings|operator|signin(?:$|\?))/;

export function App() {
  return (
    <LocationProvider scope={scope}>
      <Pages />
      <Toasts />
    </LocationProvider>
  );
}

function Pages() {
  const { path } = useLocation();
  const isOpen = path === '/signin' || path.startsWith('/shared/');
  useEffect(() => {
    if (session.value.state === 'unknown') void loadSession();
  }, []);
  if (!isOpen) {
    const { state } = session.value;
    if (state === 'unknown') return <Loading />;
    if (state === 'unreachable') return <Trouble retry={loadSession}>{text.unreachable}</Trouble>;
    if (state === 'signed-out') return <SignInPage />;
  }
  return (
    <Router>
      <Route path="/" component={LibraryPage} />
      <Route path="/transcripts/:id" component={TranscriptPage} />
      <Route path="/shared/:token" component={SharedPage} />
      <Route path="/signin" component={SignInPage} />
      <Route path="/settings" component={SettingsPage} />
      <Route path="/settings/:section" component={SettingsPage} />
      <Route path="/operator" component={OperatorPage} />
      <Route default component={NotFound} />
    </Router>
  );
}

function NotFound() {
  return (
    <main class="page">
      <h1>{text.notFound.title}</h1>
      <p class="quiet">{text.notFound.hint}</p>
      <p>
        <a href="/">{text.notFound.back}</a>
      </p>
    </main>
  );
}
