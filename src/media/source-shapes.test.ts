import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pageLinks } from '../../test/support/page-links.ts';
import { MediaFailure } from './media-failure.ts';
import { driveAnswer } from './page/drive-answers.ts';
import { driveShape } from './page/drive-shapes.ts';
import { pageShape } from './page/page-shapes.ts';

for (const [link, expected] of pageLinks) {
  test(`the page link ${link} is ${expected}`, () => {
    const shape = pageShape(new URL(link));
    assert.ok(shape);
    const found = shape.kind === 'refused' ? shape.code : shape.kind === 'short' ? 'short' : shape.url.href;
    assert.equal(found, expected);
  });
}

test('a canonical link stays as it is', () => {
  for (const [, expected] of pageLinks) {
    if (!expected.startsWith('https://')) continue;
    const shape = pageShape(new URL(expected));
    assert.equal(shape?.kind === 'page' ? shape.url.href : shape?.kind, expected);
  }
});

test('hosts that only look like a known site are left to the general way', () => {
  for (const link of [
    'https://youtube.com.evil.example/watch?v=abcdefghijk',
    'https://notx.com/a/status/1',
  ]) {
    assert.equal(pageShape(new URL(link)), undefined);
  }
});

const google = (id: string, more = '') =>
  `https://drive.usercontent.google.com/download?id=${id}&export=download&confirm=t${more}`;
const oneDriveLink = 'https://1drv.ms/v/s!AbCdEf';
const drives: readonly (readonly [link: string, expected: string])[] = [
  ['https://drive.google.com/file/d/1AbCdEfGhIjKl/view?usp=sharing', google('1AbCdEfGhIjKl')],
  ['https://drive.google.com/file/u/0/d/1AbCdEfGhIjKl/edit', google('1AbCdEfGhIjKl')],
  ['https://drive.google.com/open?id=1AbCdEfGhIjKl', google('1AbCdEfGhIjKl')],
  ['https://drive.google.com/uc?export=download&id=1AbCdEfGhIjKl', google('1AbCdEfGhIjKl')],
  ['https://docs.google.com/file/d/1AbCdEfGhIjKl/preview', google('1AbCdEfGhIjKl')],
  [
    'https://drive.google.com/file/d/1AbCdEfGhIjKl/view?resourcekey=0-x',
    google('1AbCdEfGhIjKl', '&resourcekey=0-x'),
  ],
  ['https://drive.google.com/drive/folders/1AbCdEfGhIjKl', 'source_not_accepted'],
  ['https://drive.google.com/drive/u/1/folders/1AbCdEfGhIjKl', 'source_not_accepted'],
  ['https://drive.google.com/drive/my-drive', 'source_not_accepted'],
  ['https://drive.google.com/open?id=../x', 'source_not_accepted'],
  ['https://docs.google.com/document/d/1AbCdEfGhIjKl/edit', 'source_unsupported'],
  ['https://www.dropbox.com/s/abc123/talk.mp4?dl=0', 'https://www.dropbox.com/s/abc123/talk.mp4?dl=1'],
  ['http://dropbox.com/s/abc123/talk.mp4', 'https://dropbox.com/s/abc123/talk.mp4?dl=1'],
  [
    'https://www.dropbox.com/scl/fi/abc/talk.mp4?rlkey=k1&st=s&dl=0',
    'https://www.dropbox.com/scl/fi/abc/talk.mp4?rlkey=k1&st=s&dl=1',
  ],
  [
    'https://www.dropbox.com/scl/fi/abc/talk.mp4?rlkey=k1&raw=1',
    'https://www.dropbox.com/scl/fi/abc/talk.mp4?rlkey=k1&dl=1',
  ],
  ['https://www.dropbox.com/scl/fo/abc/x?rlkey=k', 'source_not_accepted'],
  ['https://www.dropbox.com/sh/abc/x', 'source_not_accepted'],
  ['https://www.dropbox.com/home', 'source_not_accepted'],
  [
    oneDriveLink,
    `https://api.onedrive.com/v1.0/shares/u!${Buffer.from(oneDriveLink).toString('base64url')}/root/content`,
  ],
  ['https://1drv.ms/f/s!AbCdEf', 'source_not_accepted'],
  [
    'https://tenant.sharepoint.com/:v:/s/site/Eabc?e=x',
    'https://tenant.sharepoint.com/:v:/s/site/Eabc?e=x&download=1',
  ],
  ['https://tenant-my.sharepoint.com/:f:/g/personal/x/E1', 'source_not_accepted'],
  ['https://tenant.sharepoint.com/:w:/s/site/E1', 'source_unsupported'],
  ['https://app.box.com/s/abcdef123', 'page'],
  ['https://tenant.app.box.com/v/name', 'page'],
  ['https://app.box.com/folder/123', 'source_not_accepted'],
  ['https://app.box.com/shared/static/abc.mp3', 'not a drive link'],
  ['https://cloud.example.org/s/AbCdEfGhIjKlMnO', 'https://cloud.example.org/s/AbCdEfGhIjKlMnO/download'],
  [
    'https://example.org/nextcloud/index.php/s/AbCdEfGhIjKlMnO/',
    'https://example.org/nextcloud/index.php/s/AbCdEfGhIjKlMnO/download',
  ],
  [
    'https://cloud.example.org/s/AbCdEfGhIjKlMnO/download',
    'https://cloud.example.org/s/AbCdEfGhIjKlMnO/download',
  ],
  ['https://example.org/s/short', 'not a drive link'],
  ['https://u.pcloud.link/publink/show?code=x', 'source_unsupported'],
  ['https://we.tl/t-abc', 'source_unsupported'],
  ['https://www.icloud.com/iclouddrive/abc', 'source_unsupported'],
  ['https://mega.nz/file/abc#key', 'source_unsupported'],
  ['https://example.org/talk.mp3', 'not a drive link'],
];
for (const [link, expected] of drives) {
  test(`the drive link ${link} leads to ${expected}`, () => {
    const shape = driveShape(new URL(link));
    if (!shape) assert.equal('not a drive link', expected);
    else if (shape.kind === 'refused') assert.equal(shape.code, expected);
    else assert.equal(shape.kind === 'drive' ? shape.url.href : shape.kind, expected);
  });
}

const googleUrl = new URL(google('1AbCdEfGhIjKl'));
const googleForm = `<!DOCTYPE html><html><head><title>Google Drive - Virus scan warning</title></head><body>
<p class="uc-warning-subcaption"><span class="uc-name-size"><a href="/open?id=1A">big.mp4</a> (2.1G)</span> is too large for Google to scan for viruses.</p>
<form id="download-form" action="https://drive.usercontent.google.com/download" method="get">
<input type="submit" id="uc-download-link" class="goog-inline-block jfk-button" value="Download anyway"/>
<input type="hidden" name="id" value="1AbCdEfGhIjKl"><input type="hidden" name="export" value="download">
<input type="hidden" name="confirm" value="t"><input type="hidden" name="uuid" value="1-2&amp;3"></form></body></html>`;

test('the confirmation form of Google Drive gives the next address with all hidden fields', () => {
  const next = driveAnswer('google', { url: googleUrl, html: googleForm });
  assert.equal(
    next.href,
    'https://drive.usercontent.google.com/download?id=1AbCdEfGhIjKl&export=download&confirm=t&uuid=1-2%263',
  );
});

const said = (text: string) =>
  `<html><body><p class="uc-error-caption">Sorry</p><p class="uc-error-subcaption">${text}</p></body></html>`;
const refusals: readonly (readonly [Parameters<typeof driveAnswer>[0], string, string, string?])[] = [
  ['google', said('Too many users have viewed or downloaded this file recently.'), 'source_rate_limited'],
  ['google', said('The requested URL was not found on this server.'), 'media_not_found'],
  ['google', said('You need permission. Ask the owner for access.'), 'media_private'],
  [
    'google',
    '<html><title>Sign in - Google Accounts</title><input type="password"></html>',
    'media_login_required',
  ],
  ['google', googleForm.replace('drive.usercontent.google.com', 'evil.example'), 'source_unresolvable'],
  ['google', '<html>something else entirely</html>', 'source_unresolvable'],
  [
    'dropbox',
    '<html><title>Dropbox - File Deleted</title><p>The file was deleted.</html>',
    'media_not_found',
  ],
  ['dropbox', '<html><title>Log in or sign up</title><input type="password"></html>', 'media_login_required'],
  ['onedrive', '<html>hello</html>', 'media_login_required', 'https://login.live.com/login.srf'],
  ['sharepoint', '<html>no</html>', 'media_forbidden'],
  ['nextcloud', '<html>Nextcloud: share not found</html>', 'media_not_found'],
];
for (const [service, html, code, url = googleUrl.href] of refusals) {
  test(`a page of ${service} that means ${code} is understood: ${html.slice(0, 60)}`, () => {
    assert.throws(
      () => driveAnswer(service, { url: new URL(url), html }),
      (error) => error instanceof MediaFailure && error.code === code,
    );
  });
}

/** Each would take a pattern over the whole page hours; the time limit of the tests ends that. */
const hostilePages: Record<string, string> = {
  'opening brackets': '<',
  'forms that do not end': '<form ',
  'forms of the right name': '<form id="download-form">',
  'inputs that do not end': '<input ',
  'scripts that do not end': '<script ',
  'refusals that do not end': '<p class="uc-error-subcaption">',
  'fields without number':
    '<form id="download-form" action="https://evil.example/"><input type="hidden" name="a">',
  'titles that do not end': '<title>',
  'half of an entity': '&a',
  spaces: ' ',
};
for (const [what, unit] of Object.entries(hostilePages)) {
  test(`a page of two megabytes that is all ${what} does not hold up the process`, () => {
    const html = unit.repeat(2 ** 21 / unit.length);
    for (const service of ['google', 'dropbox'] as const)
      assert.throws(() => driveAnswer(service, { url: googleUrl, html }), MediaFailure);
  });
}
