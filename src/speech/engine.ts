/** Which engines there are, by the names that `LONGHAND_ENGINE` takes. */

export const englishModel = 'moonshine-base';
export const otherLanguagesModel = 'whisper-base';
/** What recognises other languages than English, by the names that `LONGHAND_ACCURACY` takes. */
export const accuracies = ['fast', 'balanced', 'exact'] as const;
export type Accuracy = (typeof accuracies)[number];
export const modelOfAccuracy: Readonly<Record<Accuracy, string>> = {
  fast: 'whisper-tiny',
  balanced: otherLanguagesModel,
  exact: 'whisper-small',
};
/** Detects languages in a tenth of the time of the model that then recognises them. */
export const languageModel = 'whisper-tiny-language';
export const voiceActivityModel = 'silero-vad';

/** Short names for the models that most people mean. */
const shortNames: Readonly<Record<string, string>> = {
  moonshine: englishModel,
  whisper: otherLanguagesModel,
};

export function modelOfEngine(engine: string): string {
  return shortNames[engine] ?? engine;
}

/** Whether the model writes English whatever is spoken. */
export function isEnglishOnly(model: string): boolean {
  return model.startsWith('moonshine-');
}

/** Whether the engine recognises better when it is given the language of the whole recording. */
export function engineUsesLanguage(engine: string): boolean {
  return engine === 'auto' || modelOfEngine(engine).startsWith('whisper-');
}

/** Whether the engine can write in English what is spoken in another language. */
export function engineTranslates(engine: string): boolean {
  return engine === 'auto' || modelOfEngine(engine).startsWith('whisper-');
}

/** What must be installed before a worker can take a job with this engine. */
export function modelsNeededBy(engine: string): string[] {
  if (engine === 'remote') return [voiceActivityModel];
  return [voiceActivityModel, engine === 'auto' ? englishModel : modelOfEngine(engine)];
}
