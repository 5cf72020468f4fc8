/** The bar on top of every page, and the page below it. */
import type { ComponentChildren } from 'preact';
import { useLocation } from 'preact-iso';
import { count } from './format.ts';
import { account, signOut } from './session.ts';
import { text } from './text.ts';

/** `tools` stand in the middle of the bar: a search field, a title. */
export function Frame({ children, tools }: { children: ComponentChildren; tools?: ComponentChildren }) {
  const { name, used_today, plan } = account();
  return (
    <>
      <a class="skip" href="#content">
        {text.skipToContent}
      </a>
      <header class="top">
        <a class="mark" href="/">
          Longhand
        </a>
        <div class="grow">{tools}</div>
        <span class="small quiet num wide">
          {text.frame.usedToday(count(used_today), count(plan.daily_transcriptions_max))}
        </span>
        <button type="button" class="btn icon" aria-label={text.frame.account} popovertarget="account-menu">
          {name.slice(0, 1).toUpperCase()}
        </button>
        <AccountMenu />
      </header>
      <div id="content">{children}</div>
    </>
  );
}

function AccountMenu() {
  const { route } = useLocation();
  const { name, is_operator } = account();
  const leave = async () => {
    await signOut();
    route('/');
  };
  return (
    <nav id="account-menu" class="menu" popover="auto" aria-label={text.frame.account}>
      <p class="small quiet">{name}</p>
      <a href="/">{text.frame.library}</a>
      <a href="/settings">{text.frame.settings}</a>
      {is_operator && <a href="/operator">{text.frame.operator}</a>}
      <a href="/docs">{text.frame.docs}</a>
      <button type="button" onClick={() => void leave()}>
        {text.frame.signOut}
      </button>
    </nav>
  );
}
