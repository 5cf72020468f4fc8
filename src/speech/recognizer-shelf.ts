/** The recognizers of one speech process: loaded when first needed, kept warm until the process ends. */
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import type { RecogniseOptions } from './chunk-result.ts';
import { MoonshineRecognizer } from './moonshine-recognizer.ts';
import type { Recognizer } from './recognizer.ts';
import { SpeechError } from './speech.ts';

export class RecognizerShelf {
  readonly #modelsDirectory: string;
  readonly #loaded = new Map<string, Promise<Recognizer>>();

  constructor(modelsDirectory: string) {
    this.#modelsDirectory = modelsDirectory;
  }

  async choose(options: RecogniseOptions): Promise<Recognizer> {
    const id =
      options.engine === 'auto' || options.engine === 'moonshine' ? 'moonshine-base' : options.engine;
    return this.#get(id);
  }

  #get(id: string): Promise<Recognizer> {
    let recognizer = this.#loaded.get(id);
    if (!recognizer) {
      recognizer = this.#load(id);
      this.#loaded.set(id, recognizer);
      recognizer.catch(() => this.#loaded.delete(id));
    }
    return recognizer;
  }

  async #load(id: string): Promise<Recognizer> {
    const directory = await installedDirectory(this.#modelsDirectory, id);
    if (id.startsWith('moonshine-')) return MoonshineRecognizer.load(id, directory);
    throw new SpeechError(`there is no engine "${id}"`, { transient: false });
  }
}

export async function installedDirectory(modelsDirectory: string, id: string): Promise<string> {
  const directory = join(modelsDirectory, id);
  try {
    await access(directory);
  } catch (cause) {
    throw new SpeechError(`the model ${id} is not installed; run: longhand models install ${id}`, {
      transient: false,
      cause,
    });
  }
  return directory;
}
