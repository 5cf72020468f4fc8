/** Recordings with known text that lie beside the checkout; not part of the project. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Recording {
  file: string;
  text: string;
}

const directory = join(import.meta.dirname, '../../../shared/audio/speech');

export function recordings(): Recording[] {
  if (!existsSync(join(directory, 'transcripts.tsv')))
    throw new Error('This benchmark needs the recordings in ../shared/audio/speech, which are not here.');
  const [, ...lines] = readFileSync(join(directory, 'transcripts.tsv'), 'utf8').trim().split('\n');
  return lines.map((line) => {
    const [name = '', text = ''] = line.split('\t');
    return { file: join(directory, name), text };
  });
}

/** Joins recordings with pauses between them, again and again until there are `seconds` of audio. */
export function joinedRecording(clips: readonly Recording[], seconds: number, output: string): Recording {
  const texts: string[] = [];
  const pieces: string[] = [];
  let total = 0;
  for (let index = 0; total < seconds; index += 1) {
    const clip = clips[index % clips.length];
    if (!clip) throw new Error('there are no recordings');
    total += durationSeconds(clip.file) + 1;
    pieces.push(clip.file);
    texts.push(clip.text);
  }
  const inputs = pieces.flatMap((file) => ['-i', file]);
  const padded = pieces
    .map((_file, index) => `[${index}:a]aresample=16000,apad=pad_dur=1[p${index}]`)
    .join(';');
  const joined = `${pieces.map((_file, index) => `[p${index}]`).join('')}concat=n=${pieces.length}:v=0:a=1`;
  execFileSync('ffmpeg', [
    '-v',
    'error',
    '-y',
    ...inputs,
    '-filter_complex',
    `${padded};${joined}`,
    '-ac',
    '1',
    output,
  ]);
  return { file: output, text: texts.join(' ') };
}

function durationSeconds(file: string): number {
  const args = ['-v', 'error', '-show_entries', 'format=duration', '-of', 'csv=p=0', file];
  return Number(execFileSync('ffprobe', args, { encoding: 'utf8' }));
}
