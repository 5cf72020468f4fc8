import assert from 'node:assert/strict';
import { test } from 'node:test';
import { html } from './html.ts';

test('text is escaped, and what html made is not escaped again', () => {
  const name = `<img src=x onerror="alert('1')">&`;
  const inner = html`<b>${name}</b>`;
  assert.equal(
    html`<p title="${name}">${[inner, 7, undefined]}</p>`.text,
    '<p title="&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;&amp;">' +
      '<b>&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;&amp;</b>7</p>',
  );
});
