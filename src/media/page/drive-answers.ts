/** What the pages of cloud drives mean that come where the file was expected. Pure. */

import { MediaFailure } from '../media-failure.ts';
import type { DriveService } from './drive-shapes.ts';
import { type HtmlTag, htmlTags, htmlText, unescapedHtml } from './html-tags.ts';

/** Of a form that has five, and of a paragraph with a link or two. */
const fieldsMax = 32;
const refusalTagsMax = 32;

/** The next address to ask (a confirmation to give), or the failure that the page tells of. */
export function driveAnswer(service: DriveService, page: { url: URL; html: string }): URL {
  if (service === 'google') return googleAnswer(page);
  if (service === 'nextcloud')
    throw new MediaFailure('media_not_found', { cause: 'a page instead of the share' });
  if (/login|signin|sign_in|authorize/i.test(page.url.pathname) || asksForLogin(page.html)) {
    throw new MediaFailure('media_login_required', { cause: `${service} asks for a login` });
  }
  if (
    /deleted|no longer|not found|doesn.t exist|expired|removed/i.test(htmlText(htmlTags(page.html), 4_000))
  ) {
    throw new MediaFailure('media_not_found', { cause: `${service} says it is gone` });
  }
  throw new MediaFailure('media_forbidden', { cause: `${service} gave a page instead of the file` });
}

/** Large files come after a form ("can't scan this file for viruses"); refusals have a paragraph of their own. */
function googleAnswer({ url, html }: { url: URL; html: string }): URL {
  const form = downloadForm(html);
  const next = form && URL.parse(form.action, url.href);
  if (next?.protocol === 'https:' && /(^|\.)google(usercontent)?\.com$/.test(next.hostname)) {
    for (const [name, value] of form?.fields ?? []) next.searchParams.set(name, value);
    if (next.href !== url.href) return next;
  }
  if (/accounts\.google\.com/.test(url.hostname) || asksForLogin(html)) {
    throw new MediaFailure('media_login_required', { cause: 'google asks for a login' });
  }
  const said = htmlText(refusal(html) ?? htmlTags(html), 600);
  if (/quota|too many users|viewed or downloaded/i.test(said)) {
    throw new MediaFailure('source_rate_limited', { cause: said, transient: false });
  }
  if (/not found|does not exist|has been (deleted|removed)|in the owner's trash/i.test(said)) {
    throw new MediaFailure('media_not_found', { cause: said });
  }
  if (/permission|access|denied|private/i.test(said))
    throw new MediaFailure('media_private', { cause: said });
  throw new MediaFailure('source_unresolvable', { cause: said });
}

/** With its hidden fields; undefined when there is none, or when it does not end. */
function downloadForm(html: string): { action: string; fields: [string, string][] } | undefined {
  let action: string | undefined;
  const fields: [string, string][] = [];
  for (const { name, attributes } of htmlTags(html)) {
    if (name === 'form' && /\bid="download-form"/i.test(attributes))
      action = unescapedHtml(/\baction="([^"]+)"/i.exec(attributes)?.[1] ?? '');
    if (action === undefined) continue;
    if (name === '/form') return { action, fields };
    if (name !== 'input' || !/\btype="hidden"/i.test(attributes) || fields.length === fieldsMax) continue;
    const field = /\bname="([^"]*)"/i.exec(attributes)?.[1];
    const value = /\bvalue="([^"]*)"/i.exec(attributes)?.[1] ?? '';
    if (field) fields.push([unescapedHtml(field), unescapedHtml(value)]);
  }
  return undefined;
}

/** The paragraph that says why. */
function refusal(html: string): HtmlTag[] | undefined {
  let paragraph: HtmlTag[] | undefined;
  for (const tag of htmlTags(html)) {
    if (!paragraph && /\bclass="uc-error-subcaption"/.test(tag.attributes)) paragraph = [tag];
    else if (tag.name === '/p' || paragraph?.length === refusalTagsMax) {
      if (paragraph) return paragraph;
    } else paragraph?.push(tag);
  }
  return paragraph;
}

function asksForLogin(html: string): boolean {
  for (const { name, attributes, text } of htmlTags(html)) {
    if (name === 'input' && /\btype="?password/i.test(attributes)) return true;
    if (name === 'title' && /sign in|log ?in|anmelden/i.test(text)) return true;
  }
  return false;
}
