import { useEffect } from 'preact/hooks';
import { useRoute } from 'preact-iso';
import { Frame } from '../frame.tsx';
import { text } from '../text.ts';
import { KeySettings } from './key-settings.tsx';
import { SessionSettings } from './session-settings.tsx';
import { UsageSettings } from './usage-settings.tsx';
import { WebhookSettings } from './webhook-settings.tsx';

const sections = {
  keys: KeySettings,
  webhooks: WebhookSettings,
  usage: UsageSettings,
  sessions: SessionSettings,
} as const;
type Section = keyof typeof sections;
const names = Object.keys(sections) as Section[];

export function SettingsPage() {
  const { params } = useRoute();
  const section = names.find((one) => one === params.section) ?? 'keys';
  const Body = sections[section];
  useEffect(() => {
    document.title = `${text.settings[section]} · Longhand`;
  }, [section]);
  return (
    <Frame>
      <div class="settings">
        <nav aria-label={text.settings.title}>
          {names.map((one) => (
            <a key={one} href={`/settings/${one}`} aria-current={one === section ? 'page' : undefined}>
              {text.settings[one]}
            </a>
          ))}
        </nav>
        <main>
          <h1>{text.settings[section]}</h1>
          <Body />
        </main>
      </div>
    </Frame>
  );
}
