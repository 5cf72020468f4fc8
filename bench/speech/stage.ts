/** What the parts of the speech benchmark share: where they work, on what, and how a whole job is run. */
import { join } from 'node:path';
import { type Measured, measured } from '../stage/measured-command.ts';
import type { Recording } from './recordings.ts';

const main = join(import.meta.dirname, '..', '..', 'src', 'main.ts');

export interface SpeechStage {
  directory: string;
  clips: Recording[];
  settings: SpeechSettings;
  environment: Record<string, string>;
}

export type SpeechSettings = ReturnType<typeof settingsOf>;

export function settingsOf(values: Record<string, string | undefined>) {
  return {
    minutes: Number(values.minutes),
    workerMinutes: Number(values['worker-minutes']),
    hours: Number(values.hours),
    kills: Number(values.kills),
    copies: Number(values.copies),
    killMinutes: Number(values['kill-minutes']),
    rounds: Number(values.rounds),
    peerMinutes: Number(values['peer-minutes']),
    peerDirectory: values['peer-directory'],
    whisperCppModel: values['whisper-cpp-model'],
    voskModel: values['vosk-model'],
  };
}

export function transcribed(
  stage: SpeechStage,
  file: string,
  workerCount: number,
  options: readonly string[] = [],
): Promise<Measured> {
  const env = { ...stage.environment, LONGHAND_WORKERS: String(workerCount) };
  return measured([process.execPath, main, 'transcribe', file, ...options], env);
}
