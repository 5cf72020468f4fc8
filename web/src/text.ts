/** Every text of the pages, in the reader's language: `en.ts` and `de.ts` hold the same names. */
import { de } from './text/de.ts';
import { en, type Texts } from './text/en.ts';

const languages: Record<string, Texts> = { en, de };
const chosenName = 'longhand-language';

function chosenLanguage(): string {
  const wanted = [localStorage.getItem(chosenName), ...navigator.languages];
  for (const one of wanted) {
    const short = one?.slice(0, 2).toLowerCase() ?? '';
    if (short in languages) return short;
  }
  return 'en';
}

export const language = chosenLanguage();
/** For dates and numbers: the reader's own variant of the language, such as de-AT. */
export const locale = navigator.languages.find((one) => one.startsWith(language)) ?? language;
export const text: Texts = languages[language] ?? en;

/** As the reader calls it. */
export function languageName(code: string | null): string | undefined {
  if (code === null) return undefined;
  try {
    return new Intl.DisplayNames(locale, { type: 'language' }).of(code);
  } catch {
    return undefined;
  }
}

export function chooseLanguage(wanted: 'en' | 'de'): void {
  localStorage.setItem(chosenName, wanted);
  location.reload();
}
