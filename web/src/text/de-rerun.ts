import type { enRerun } from './en-rerun.ts';

export const deRerun: typeof enRerun = {
  menu: 'Neu erkennen …',
  title: 'Neu erkennen',
  lines: 'Zeilen ab hier',
  language: 'Sprache',
  findOut: 'Herausfinden',
  model: 'Modell',
  usualModel: 'Das übliche',
  hint: 'Was gehört wird, tritt an die Stelle dieser Zeilen. Rückgängig holt sie zurück, und der erste Text der Maschine bleibt erhalten.',
  go: 'Neu erkennen',
  waits: 'Wartet darauf, neu erkannt zu werden …',
  runs: (language, percent) =>
    `Wird neu erkannt${language ? ` (${language})` : ''}${percent > 0 ? `: ${percent} %` : ' …'}`,
  stop: 'Abbrechen',
  again: 'Noch einmal …',
  dismiss: 'Schließen',
  failures: {
    changed: 'Diese Zeilen wurden geändert, während sie neu erkannt wurden. Nichts wurde ersetzt.',
    media_gone:
      'Die Aufnahme wird nicht mehr aufbewahrt, darum lässt sich nichts neu erkennen. Der Text bleibt.',
    media_unreadable: 'Dieser Teil der Aufnahme war nicht zu lesen. Nichts wurde ersetzt.',
    model_missing: 'Das Modell dafür ist nicht installiert. Nichts wurde ersetzt; wähle ein anderes.',
    no_words: 'Diesmal waren hier keine Worte zu verstehen. Nichts wurde ersetzt.',
    expired: 'Innerhalb einer Stunde kam niemand dazu, diese Zeilen neu zu erkennen. Nichts wurde ersetzt.',
    internal: 'Beim neuen Erkennen ging bei uns etwas schief. Nichts wurde ersetzt.',
  },
  refusals: {
    edit_conflict:
      'Diese Zeilen wurden in einem anderen Fenster geändert. Schließe dies, sieh sie dir an und versuche es wieder.',
    not_saved: 'Diese Zeilen sind noch nicht gespeichert. Versuche es danach wieder.',
    invalid_request: 'Diese Stelle wird schon neu erkannt, oder es geht mit dieser Wahl nicht.',
    rate_limited: 'Es werden so viele Stellen neu erkannt, wie dein Tarif erlaubt. Warte auf eine davon.',
    daily_limit_reached:
      'Die Stellen deines Tarifs für heute sind verbraucht. Ab Mitternacht UTC geht es wieder.',
    upload_not_found: 'Die Aufnahme wird nicht mehr aufbewahrt, darum lässt sich nichts neu erkennen.',
    api_processing_unavailable:
      'Gerade ist niemand da, der Sprache erkennt. Versuche es in ein paar Minuten wieder.',
  },
};
