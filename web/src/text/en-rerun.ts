/** Recognising a passage again. */
export const enRerun = {
  menu: 'Recognise again…',
  title: 'Recognise again',
  lines: 'Lines from here',
  language: 'Language',
  findOut: 'Find out',
  model: 'Model',
  usualModel: 'The usual one',
  hint: 'What is heard takes the place of these lines. Undo brings them back, and the machine’s first text is kept.',
  go: 'Recognise again',
  waits: 'Waits to be recognised again…',
  runs: (language: string | undefined, percent: number) =>
    `Being recognised again${language ? ` in ${language}` : ''}${percent > 0 ? `: ${percent} %` : '…'}`,
  stop: 'Stop',
  again: 'Try again…',
  dismiss: 'Close',
  failures: {
    changed: 'These lines were changed while they were recognised again. Nothing was replaced.',
    media_gone: 'The recording is no longer kept, so nothing of it can be recognised again. The text stays.',
    media_unreadable: 'This part of the recording could not be read. Nothing was replaced.',
    model_missing: 'The model for this is not installed. Nothing was replaced; choose another one.',
    no_words: 'No words were made out here this time. Nothing was replaced.',
    expired: 'Nobody came to recognise these lines again within an hour. Nothing was replaced.',
    internal: 'Recognising these lines again went wrong on our side. Nothing was replaced.',
  } as Record<string, string> & { internal: string; media_gone: string },
  refusals: {
    edit_conflict: 'These lines were changed in another window. Close this, look at them, then try again.',
    not_saved: 'These lines are not saved yet. Try again once they are.',
    invalid_request: 'This passage is being recognised again already, or cannot be with this choice.',
    rate_limited: 'As many passages as your plan allows are being recognised. Wait for one of them.',
    daily_limit_reached: 'Your plan’s passages for today are used up. Try again after midnight UTC.',
    upload_not_found: 'The recording is no longer kept, so nothing of it can be recognised again.',
    api_processing_unavailable:
      'Nobody is there to recognise speech at the moment. Try again in a few minutes.',
  } as Record<string, string>,
};
