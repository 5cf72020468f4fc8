/** The page at /docs: the key of this tab, copying, and the forms that send a request. */

const keyMark = 'YOUR_API_KEY';
const keyName = 'longhand.key';
const lastJobName = 'longhand.job';
const shownHeaders = ['x-request-id', 'location', 'retry-after', 'ratelimit', 'allow'];
const bodyCharactersMax = 100_000;

const keyForm = document.getElementById('key-form');
const keyField = document.getElementById('key');
const forgetButton = document.getElementById('key-forget');
const keyState = document.getElementById('key-state');

/** Only this tab sees it, and it goes when the tab is closed. */
function currentKey() {
  return sessionStorage.getItem(keyName) ?? '';
}

function showKey() {
  const key = currentKey();
  keyField.value = key;
  forgetButton.hidden = key === '';
  keyState.textContent = key === '' ? '' : `Key ${key.slice(0, 7)}… in this tab`;
}

keyForm.addEventListener('submit', (event) => {
  event.preventDefault();
  const key = keyField.value.trim();
  if (key === '') sessionStorage.removeItem(keyName);
  else sessionStorage.setItem(keyName, key);
  showKey();
});
forgetButton.addEventListener('click', () => {
  sessionStorage.removeItem(keyName);
  showKey();
});

/** Without a secure context there is no clipboard API; the old way still works there. */
async function copy(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = document.createElement('textarea');
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
}

for (const button of document.querySelectorAll('.copy')) {
  button.hidden = false;
  button.addEventListener('click', async () => {
    const code = button.closest('.code').querySelector('code').textContent;
    await copy(code.replaceAll(keyMark, currentKey() || keyMark));
    button.textContent = 'Copied';
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 1500);
  });
}

function element(name, className, text) {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

function codeFigure(code) {
  const figure = element('div', 'code');
  const pre = element('pre');
  pre.append(code);
  figure.append(pre);
  return figure;
}

function readable(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** The request that a form describes. */
function requestOf(form) {
  let path = form.dataset.path;
  const query = new URLSearchParams();
  const headers = {};
  for (const input of form.querySelectorAll('input[data-in]')) {
    const { name, value } = input;
    if (input.dataset.in === 'path') path = path.replace(`{${name}}`, encodeURIComponent(value));
    else if (value !== '' && input.dataset.in === 'query') query.set(name, value);
    else if (value !== '' && input.dataset.in === 'header') headers[name] = value;
  }
  if (form.hasAttribute('data-needs-key') && currentKey() !== '')
    headers.authorization = `Bearer ${currentKey()}`;
  const body = form.elements.namedItem('body')?.value;
  if (body !== undefined) headers['content-type'] = 'application/json';
  return {
    url: query.size > 0 ? `${path}?${query}` : path,
    options: { method: form.dataset.method, headers, body },
  };
}

/** The whole body; an event stream, which may take as long as its job, is shown while it comes. */
async function shownBody(response, output) {
  const code = element('code');
  let text = '';
  if (response.headers.get('content-type')?.startsWith('text/event-stream')) {
    output.append(codeFigure(code));
    const reader = response.body.getReader();
    const decoder = new TextDecoder();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      text += decoder.decode(part.value, { stream: true });
      code.textContent = text.slice(-bodyCharactersMax);
    }
    return text;
  }
  text = await response.text();
  code.textContent = readable(text).slice(0, bodyCharactersMax);
  if (text !== '') output.append(codeFigure(code));
  return text;
}

async function send(form) {
  const output = form.querySelector('output');
  const { url, options } = requestOf(form);
  const startedAt = performance.now();
  output.replaceChildren(element('p', 'quiet', 'Sending …'));
  try {
    const response = await fetch(url, options);
    const ms = Math.round(performance.now() - startedAt);
    const line = element('p');
    line.append(
      element(
        'span',
        response.ok ? 'status' : 'status bad',
        `${response.status} ${response.statusText}`.trim(),
      ),
      element('span', 'quiet', ` in ${ms} ms`),
    );
    const headers = shownHeaders
      .filter((name) => response.headers.has(name))
      .map((name) => `${name}: ${response.headers.get(name)}`);
    output.replaceChildren(line, element('p', 'small quiet', headers.join(' · ')));
    const text = await shownBody(response, output);
    rememberJob(form, response, text);
  } catch {
    output.replaceChildren(element('p', 'status bad', 'The server did not answer. Is it still running?'));
  }
}

/** The id of a job made here is filled in where one is asked for. */
function rememberJob(form, response, text) {
  if (response.status !== 202 || !form.dataset.path.endsWith('/transcriptions')) return;
  sessionStorage.setItem(lastJobName, JSON.parse(text).data.id);
  fillJob();
}

function fillJob() {
  const id = sessionStorage.getItem(lastJobName);
  if (!id) return;
  for (const field of document.querySelectorAll('form[data-path*="/transcriptions/{id}"] input[name="id"]'))
    field.value = id;
}

for (const form of document.querySelectorAll('.try form')) {
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (form.hasAttribute('data-needs-key') && currentKey() === '') {
      form
        .querySelector('output')
        .replaceChildren(element('p', 'status bad', 'Give your API key at the top of the page first.'));
      return;
    }
    send(form);
  });
}

/** The contents mark what is being read, and close on a phone when something is chosen. */
const links = new Map(
  [...document.querySelectorAll('#contents a')].map((link) => [link.hash.slice(1), link]),
);
const contents = document.getElementById('contents');
contents.addEventListener('click', (event) => {
  if (event.target.closest('a') && contents.matches(':popover-open')) contents.hidePopover();
});
const targets = [...links.keys()].map((id) => document.getElementById(id)).filter(Boolean);

/** The last one whose beginning has passed the upper third of the window. */
function markCurrent() {
  const current = targets.findLast((target) => target.getBoundingClientRect().top < innerHeight / 3);
  for (const [id, link] of links) {
    if (id === current?.id) link.setAttribute('aria-current', 'true');
    else link.removeAttribute('aria-current');
  }
}

let isMarking = false;
addEventListener(
  'scroll',
  () => {
    if (isMarking) return;
    isMarking = true;
    requestAnimationFrame(() => {
      isMarking = false;
      markCurrent();
    });
  },
  { passive: true },
);

markCurrent();
showKey();
fillJob();
