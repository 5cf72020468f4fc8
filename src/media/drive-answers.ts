/** What the pages of cloud drives mean that come where the file was expected. Pure. */
import type { DriveService } from './drive-shapes.ts';
import { MediaFailure } from './media-failure.ts';

/** The next address to ask (a confirmation to give), or the failure that the page tells of. */
export function driveAnswer(service: DriveService, page: { url: URL; html: string }): URL {
  if (service === 'google') return googleAnswer(page);
  if (service === 'nextcloud')
    throw new MediaFailure('media_not_found', { cause: 'a page instead of the share' });
  if (/login|signin|sign_in|authorize/i.test(page.url.pathname) || asksForLogin(page.html)) {
    throw new MediaFailure('media_login_required', { cause: `${service} asks for a login` });
  }
  if (/deleted|no longer|not found|doesn.t exist|expired|removed/i.test(textOf(page.html).slice(0, 4_000))) {
    throw new MediaFailure('media_not_found', { cause: `${service} says it is gone` });
  }
  throw new MediaFailure('media_forbidden', { cause: `${service} gave a page instead of the file` });
}

/** Large files come after a form ("can't scan this file for viruses"); refusals have a paragraph of their own. */
function googleAnswer({ url, html }: { url: URL; html: string }): URL {
  const form = /<form[^>]*\bid="download-form"[^>]*>([\s\S]*?)<\/form>/i.exec(html);
  if (form) {
    const action = unescaped(/\baction="([^"]+)"/i.exec(form[0])?.[1] ?? '');
    const next = URL.parse(action, url.href);
    if (next?.protocol === 'https:' && /(^|\.)google(usercontent)?\.com$/.test(next.hostname)) {
      for (const [, input = ''] of (form[1] ?? '').matchAll(/<input([^>]*\btype="hidden"[^>]*)>/gi)) {
        const name = /\bname="([^"]*)"/i.exec(input)?.[1];
        if (name)
          next.searchParams.set(unescaped(name), unescaped(/\bvalue="([^"]*)"/i.exec(input)?.[1] ?? ''));
      }
      if (next.href !== url.href) return next;
    }
  }
  if (/accounts\.google\.com/.test(url.hostname) || asksForLogin(html)) {
    throw new MediaFailure('media_login_required', { cause: 'google asks for a login' });
  }
  const said = textOf(/class="uc-error-subcaption"[^>]*>([\s\S]*?)<\/p>/i.exec(html)?.[1] ?? html).slice(
    0,
    600,
  );
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

function asksForLogin(html: string): boolean {
  return /<input[^>]+type="?password|<title>[^<]*(sign in|log ?in|anmelden)/i.test(html);
}

function textOf(html: string): string {
  return unescaped(
    html
      .replace(/<(script|style)[\s\S]*?<\/\1>/gi, ' ')
      .replace(/<[^>]*>/g, ' ')
      .replace(/\s+/g, ' '),
  ).trim();
}

function unescaped(text: string): string {
  const named: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
  return text.replace(/&(?:#(\d{1,6})|#x([0-9a-f]{1,6})|(\w+));/gi, (all, decimal, hex, name) => {
    const code = decimal ? Number(decimal) : hex ? Number.parseInt(hex, 16) : undefined;
    if (code !== undefined) return code <= 0x10ffff ? String.fromCodePoint(code) : all;
    return named[String(name).toLowerCase()] ?? all;
  });
}
