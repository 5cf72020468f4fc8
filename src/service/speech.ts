/** The models on this machine and the recognizer that the settings ask for. */
import { join } from 'node:path';
import type { Config } from '../config.ts';
import type { HttpsDownload } from '../model/model-download.ts';
import { models } from '../model/model-manifest.ts';
import { ModelStore } from '../model/model-store.ts';
import { StartError } from '../platform/start-error.ts';
import {
  engineUsesLanguage,
  languageModel,
  modelOfAccuracy,
  modelOfEngine,
  modelsNeededBy,
  otherLanguagesModel,
} from '../speech/engine.ts';
import { SpeechPool } from '../speech/process/speech-pool.ts';
import type { Speech } from '../speech/speech.ts';
import { accuracyOf } from './accuracy.ts';
import { makeDataDirectory } from './data-directory.ts';
import type { Foundation } from './foundation.ts';
import type { LazyEgress } from './lazy-egress.ts';

const checkoutModelsDir = join(import.meta.dirname, '..', '..', 'data', 'models');

/** The largest model known is 1.6 GB; a connection of 1 Mbit/s brings it in four hours. */
const downloadLimits = {
  connectMs: 15_000,
  totalMs: 4 * 3_600_000,
  idleMs: 60_000,
  bytesMax: 4 * 2 ** 30,
  headerBytesMax: 64 * 1024,
  redirectsMax: 5,
};

/** The models of the data directory, and those that ./setup put into this checkout. */
export async function openModelStore(
  { config }: Pick<Foundation, 'config'>,
  egress: Pick<LazyEgress, 'open'>,
): Promise<ModelStore> {
  const httpsDownload: HttpsDownload = async (url, signal) => {
    const response = await (await egress.open()).request({
      url,
      limits: downloadLimits,
      signal,
      httpsOnly: true,
    });
    if (response.status === 200) return response.body;
    response.close();
    throw new Error(`the server answered ${response.status}`);
  };
  await makeDataDirectory(config);
  const store = new ModelStore({ directory: join(config.dataDir, 'models'), httpsDownload });
  await store.adoptFrom(checkoutModelsDir);
  return store;
}

/** A name that means nothing is a wrong setting; a known model that is not installed yet is not. */
export async function refuseUnknownEngine(
  { engine: { name } }: Pick<Config, 'engine'>,
  modelStore: ModelStore,
): Promise<void> {
  if (name === 'auto' || name === 'remote') return;
  const id = modelOfEngine(name);
  const model = models.find((one) => one.id === id);
  if (model?.kind === 'recognizer' || (!model && (await modelStore.usable(id)))) return;
  const fault = model ? 'cannot write text' : 'is no model that Longhand knows or has a folder for';
  const known = models.filter(({ kind }) => kind === 'recognizer').map((one) => one.id);
  throw new StartError(
    `LONGHAND_ENGINE: ${name} ${fault}. Choose auto, remote or one of ${known.join(', ')}.`,
  );
}

/** Undefined when a model that the engine needs is not there; the log says which and what to do. */
export async function openSpeech(
  { config, clock, logger }: Pick<Foundation, 'config' | 'clock' | 'logger'>,
  egress: Pick<LazyEgress, 'open'>,
): Promise<Speech | undefined> {
  const modelStore = await openModelStore({ config }, egress);
  await refuseUnknownEngine(config, modelStore);
  const needed = modelsNeededBy(config.engine.name);
  const usable = await Promise.all(needed.map((id) => modelStore.usable(id)));
  const missing = needed.filter((_id, i) => !usable[i]);
  if (missing.length > 0) {
    logger.error(
      `no job can run here, because these models are not installed: run "longhand models install ${missing.join(' ')}"`,
    );
    return undefined;
  }
  if (engineUsesLanguage(config.engine.name) && !(await modelStore.usable(languageModel))) {
    logger.warn(
      `languages are told apart slowly, because a model is not installed: run "longhand models install ${languageModel}"`,
    );
  }
  const local = new SpeechPool({
    processes: config.workers,
    modelsDirectory: join(config.dataDir, 'models'),
    otherLanguages: await otherLanguagesOf({ config, logger }, modelStore),
    verbatim: config.numbers === 'verbatim',
    logger,
    clock,
  });
  const { url, key, model } = config.engine;
  if (config.engine.name !== 'remote' || url === undefined) return local;
  const endpoint = { url, key, model: model ?? 'whisper-1' };
  const { RemoteSpeech } = await import('../speech/remote/remote-speech.ts');
  return new RemoteSpeech({
    endpoint,
    local,
    egress: await egress.open(),
    concurrency: config.workers,
  });
}

/** The larger Whisper is used where it is installed. */
async function otherLanguagesOf(
  { config, logger }: Pick<Foundation, 'config' | 'logger'>,
  modelStore: ModelStore,
): Promise<string> {
  const wanted = modelOfAccuracy[accuracyOf(config)];
  if (await modelStore.usable(wanted)) return wanted;
  if (config.accuracy !== undefined && config.engine.name === 'auto')
    logger.warn(
      `LONGHAND_ACCURACY=${config.accuracy} needs a model that is not installed: run "longhand models install ${wanted}"`,
    );
  return otherLanguagesModel;
}
