/** Voices for made-up dialogues: the recordings in ../shared/audio where present, phone prompts and speech programs where installed. */

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { floatSamples } from '../../src/timeline/pcm-samples.ts';
import { sampleRate } from '../../src/timeline/sample-rate.ts';
import { decoded } from '../speech/decoded.ts';

export interface VoiceUtterance {
  samples: Float32Array;
  /** Null where nobody wrote down what is said. */
  text: string | null;
}

export interface Voice {
  name: string;
  human: boolean;
  utterances: VoiceUtterance[];
}

const places = [join(import.meta.dirname, '../../../shared/audio')];
const spokenFile = join(tmpdir(), `longhand-voice-${process.pid}.wav`);
const promptsDirectory = '/usr/share/asterisk/sounds';

/** Clips of one reader begin alike. */
const readers = ['jfk', 'libri_2412', 'librivox', 'lj002', 'ms', 'sb_spk1'];
const promptVoices = [
  'en_US_f_Allison',
  'fr_CA_f_June',
  'it_IT_f_Menardi',
  'it_IT_m_Carlo',
  'ru_RU_f_IvrvoiceRU',
  'es',
  'fr',
];
const sentences = [
  'The committee will look at the proposal again before the end of the month.',
  'I would rather walk along the river than sit in another meeting this afternoon.',
  'Nobody told us that the train had been cancelled because of the storm.',
  'If we measure it twice, we can be fairly sure that the number is right.',
  'She opened the window, and the smell of fresh bread came in from the street.',
  'Please remember to lock the door and to leave the key under the flower pot.',
  'There are seven reasons why this plan may fail, and only one why it may work.',
  'The doctor said that a little rest and a lot of water would be enough.',
];

export function sharedDirectory(name: string): string | undefined {
  return places.map((place) => join(place, name)).find((path) => existsSync(path));
}

function clipVoices(): Voice[] {
  const directory = sharedDirectory('speech');
  if (!directory) return [];
  const rows = readFileSync(join(directory, 'transcripts.tsv'), 'utf8').trim().split('\n').slice(1);
  return readers.map((reader) => ({
    name: reader,
    human: true,
    utterances: rows
      .map((row) => row.split('\t'))
      .filter(([file = '']) => file.startsWith(`${reader}_`) || file === `${reader}.flac`)
      .map(([file = '', text = '']) => ({ samples: floatSamples(decoded(join(directory, file))), text })),
  }));
}

/** Prompts between two and ten seconds. */
function promptVoice(name: string): Voice | undefined {
  const directory = join(promptsDirectory, name);
  if (!existsSync(directory)) return undefined;
  const files = readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name)
    .sort();
  const utterances: VoiceUtterance[] = [];
  for (const file of files) {
    if (utterances.length >= 24) break;
    const samples = floatSamples(decoded(join(directory, file)));
    if (samples.length >= 2 * sampleRate && samples.length <= 10 * sampleRate)
      utterances.push({ samples, text: null });
  }
  return utterances.length >= 4 ? { name, human: true, utterances } : undefined;
}

function spoken(name: string, command: string, args: (text: string) => string[]): Voice | undefined {
  try {
    const utterances = sentences.map((text) => {
      execFileSync(command, args(text), { stdio: 'ignore' });
      return { samples: floatSamples(decoded(spokenFile)), text };
    });
    return { name, human: false, utterances };
  } catch {
    return undefined;
  } finally {
    rmSync(spokenFile, { force: true });
  }
}

/** Programs that are not installed give no voice. espeak-ng's variants sound like one person to a network, save two. */
export function synthesizedVoices(): Voice[] {
  const espeak = ['en-us', 'en-us+f4'].map((voice) =>
    spoken(`espeak ${voice}`, 'espeak-ng', (text) => ['-v', voice, '-w', spokenFile, text]),
  );
  const flite = ['slt', 'rms', 'awb', 'kal16'].map((voice) =>
    spoken(`flite ${voice}`, 'flite', (text) => ['-voice', voice, '-t', text, '-o', spokenFile]),
  );
  return [...espeak, ...flite].filter((voice) => voice !== undefined);
}

export function humanVoices(): Voice[] {
  const prompts = promptVoices.map(promptVoice).filter((voice) => voice !== undefined);
  return [...clipVoices().filter((voice) => voice.utterances.length > 0), ...prompts];
}
