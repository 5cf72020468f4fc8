import './look/tokens.css';
import './look/base.css';
import './look/parts.css';
import './look/pages.css';
import { render } from 'preact';
import { App } from './app.tsx';
import { language } from './text.ts';

// After an upgrade the files of an open page are gone: its next visit gets the new ones.
addEventListener('vite:preloadError', () => location.reload());
document.documentElement.lang = language;
// For shares from other apps of a phone; where it cannot be had, everything else works.
navigator.serviceWorker?.register('/sw.js').catch(() => {});
const root = document.querySelector('#app');
if (root) render(<App />, root);
