/**
 * Terms that recognizers get wrong, in sentences spoken by programs: how many are written right with and without a list
 * of them, and whether a list of terms that nobody says changes anything.
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sampleRate } from '../../src/timeline/sample-rate.ts';
import { wavHeader } from '../../src/timeline/wav-header.ts';
import type { BenchmarkRow } from '../run.ts';
import { atMost } from '../stage/figures.ts';
import { decoded } from './decoded.ts';
import { longRecording, nonSpeechRecording } from './material.ts';
import { type SpeechStage, transcribed } from './stage.ts';
import { comparableWords } from './word-error-rate.ts';

/** The term, and a sentence with it. */
const spoken: readonly (readonly [term: string, sentence: string])[] = [
  ['Chromecast', 'Plug the Chromecast into the television before the meeting starts.'],
  ['Chromecast', 'I bought a second Chromecast for the bedroom last week.'],
  ['ComfyUI', 'We draw the pictures with ComfyUI on the big machine.'],
  ['ComfyUI', 'Open ComfyUI and load the workflow that I sent you.'],
  ['Kubernetes', 'The Kubernetes cluster was restarted in the middle of the night.'],
  ['Kubernetes', 'Everything runs on Kubernetes now, even the database.'],
  ['Longhand', 'You can ask Longhand to write down the whole interview.'],
  ['Nguyen', 'Doctor Nguyen will see you at three in the afternoon.'],
  ['Nguyen', 'I gave the report to Nguyen yesterday.'],
  ['Siobhan', 'Siobhan has been working on this question since the spring.'],
  ['Siobhan', 'Please send a copy to Siobhan and to the archive.'],
  ['PostgreSQL', 'The rows are kept in PostgreSQL and copied every hour.'],
  ['Grafana', 'Look at the Grafana page before you change anything.'],
  ['Terraform', 'The network was made with Terraform two years ago.'],
  ['Istanbul', 'We will fly to Istanbul at the end of the month.'],
  ['Ollama', 'The model is served by Ollama on a small computer.'],
  ['Xiaomi', 'My brother has a Xiaomi phone and likes it very much.'],
  ['Anthropic', 'A letter from Anthropic came to the office this morning.'],
  ['Moonshine', 'The speech is recognised by Moonshine in a few seconds.'],
  ['Szymanski', 'Mister Szymanski teaches mathematics at the evening school.'],
  ['Okonkwo', 'The next speaker is Okonkwo from the university.'],
  ['Jaipur', 'The factory in Jaipur makes the cloth for these shirts.'],
  ['Metformin', 'She takes Metformin twice a day with her meals.'],
  ['Ibuprofen', 'The nurse gave him Ibuprofen for the headache.'],
  ['Oxcarbazepine', 'The doctor changed the medicine to Oxcarbazepine in March.'],
  ['Hausdorff', 'The Hausdorff distance between the two shapes is small.'],
  ['Eigenvector', 'Each Eigenvector of the matrix belongs to one value.'],
  ['Zigbee', 'The lamps in the kitchen are connected by Zigbee.'],
  ['Raspberry Pi', 'The camera is connected to a Raspberry Pi in the garage.'],
  ['Visual Studio', 'He wrote the whole program in Visual Studio.'],
  ['Home Assistant', 'The heating is switched on by Home Assistant at six.'],
  ['Wireshark', 'We opened Wireshark to see what was sent.'],
  ['Nginx', 'The requests go through Nginx before they reach us.'],
  ['Redis', 'The sessions are kept in Redis for an hour.'],
  ['Debian', 'The server runs Debian and nothing else.'],
  ['Jira', 'Write a ticket in Jira before you begin.'],
  ['Saoirse', 'Saoirse plays the violin in the city orchestra.'],
  ['Joaquin', 'We asked Joaquin to translate the letter.'],
  ['Xavier', 'Xavier and his sister live near the harbour.'],
  ['Leclerc', 'The order was signed by Leclerc himself.'],
];

/** In none of the sentences and clips. */
const unspoken = [
  ...['Zanzibar', 'Photoshop', 'Elasticsearch', 'Bartholomew', 'Fibonacci', 'Amoxicillin', 'Reykjavik'],
  ...['Tchaikovsky', 'Mozzarella', 'Quinoa', 'Beauregard', 'Worcestershire', 'Hendrickson', 'Ansible'],
  ...['Jenkins', 'Galadriel', 'Schrodinger', 'Mitochondria', 'Wolfram', 'Paderborn'],
];

const pauseSeconds = 1.5;

const listing = (keywords: readonly string[]) => ['--keywords', keywords.join(', ')];

export async function keywords(stage: SpeechStage): Promise<BenchmarkRow[]> {
  const sentences = spokenSentences(join(stage.directory, 'sentences.wav'), stage.directory);
  const terms = [...new Set(spoken.map(([term]) => term))];
  const without = await transcribed(stage, sentences, 1);
  const listed = await transcribed(stage, sentences, 1, listing(terms));
  const clips = longRecording(stage.clips, 3, join(stage.directory, 'clips.wav')).file;
  const plain = await transcribed(stage, clips, 1);
  const strange = await transcribed(stage, clips, 1, listing([...unspoken, ...terms]));
  const quiet = nonSpeechRecording(5, join(stage.directory, 'quiet.flac'));
  const invented = await transcribed(stage, quiet, 1, listing(terms));
  const [before, after] = [rightTerms(without.output), rightTerms(listed.output)];
  return [
    {
      figure: `terms written right of ${spoken.length}, without and with a list of ${terms.length}`,
      value: `${before}, ${after}`,
      bar: 'more with the list',
      passed: after > before,
    },
    {
      figure: 'time of these sentences with the list against without',
      value: `${(listed.cpuSeconds / without.cpuSeconds).toFixed(2)} × processor time`,
    },
    atMost(
      `words changed in 3 min of clips by a list of ${unspoken.length + terms.length} terms that nobody says`,
      plain.output === strange.output ? 0 : comparableWords(strange.output).length,
      0,
      '',
    ),
    atMost(
      'hallucinated words, 5 min without speech, with the list',
      comparableWords(invented.output).length,
      0,
      '',
    ),
  ];
}

/** A term that several sentences have counts as often as it is written, up to as often as it is said. */
function rightTerms(text: string): number {
  return [...new Set(spoken.map(([term]) => term))].reduce((sum, term) => {
    const said = spoken.filter(([own]) => own === term).length;
    return sum + Math.min(said, text.split(term).length - 1);
  }, 0);
}

/** By four voices in turn, where both programs are installed. */
function spokenSentences(file: string, directory: string): string {
  const part = join(directory, 'sentence.wav');
  const voices: ((text: string) => [command: string, args: string[]])[] = [
    (text) => ['espeak-ng', ['-v', 'en-us', '-s', '150', '-w', part, text]],
    (text) => ['espeak-ng', ['-v', 'en-gb+f4', '-s', '150', '-w', part, text]],
    (text) => ['flite', ['-voice', 'slt', '-t', text, '-o', part]],
    (text) => ['flite', ['-voice', 'rms', '-t', text, '-o', part]],
  ];
  const pause = Buffer.alloc(Math.round(pauseSeconds * sampleRate) * 2);
  const parts = spoken.flatMap(([, sentence], i) => {
    const [command, args] = (voices[i % voices.length] ?? voices[0])?.(sentence) ?? ['', []];
    execFileSync(command, args, { stdio: 'ignore' });
    return [decoded(part), pause];
  });
  const audio = Buffer.concat(parts);
  writeFileSync(file, Buffer.concat([wavHeader(audio.length), audio]));
  return file;
}
