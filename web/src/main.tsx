import '../../src/http/assets/tokens.css';
import './look/base.css';
import './look/parts.css';
import './look/transcript.css';
import './look/pages.css';
import { render } from 'preact';
import { App } from './app.tsx';
import { language } from './text.ts';

document.documentElement.lang = language;
// For shares from other apps of a phone; where it cannot be had, everything else works.
navigator.serviceWorker?.register('/sw.js').catch(() => {});
const root = document.querySelector('#app');
if (root) render(<App />, root);
