/** How long a speech process may take for a request. */
import { bytesPerSample } from '../../timeline/pcm-samples.ts';
import { sampleRate } from '../../timeline/sample-rate.ts';
import type { SpeechRequest } from './speech-message.ts';

/**
 * Loading models, and the wait for a share of a busy machine. A chunk of 28 s takes 3 s by Moonshine and 8 s by Whisper
 * base on a free core; at low priority beside ten other busy processes a starved process had not loaded its models after
 * 60 s. To end it then would only begin the same work again.
 */
const requestMs = 240_000;
/** For each second of audio. Voices are found two hundred times as fast as words. */
const wordsMsPerSecond = 10_000;
const voicesMsPerSecond = 1_000;
/** Ten hours of windows take less than ten seconds on a busy core. */
const joinMs = 180_000;

/** A process that does not answer in time is ended, whether it is stopped, in a circle or starved. */
export function requestLimitMs(request: SpeechRequest): number {
  switch (request.type) {
    case 'recognise':
      return requestMs + seconds(request.audio) * wordsMsPerSecond;
    case 'detect-languages':
      return (
        requestMs + request.chunks.reduce((sum, { audio }) => sum + seconds(audio), 0) * wordsMsPerSecond
      );
    case 'detect-voice':
      return requestMs + seconds(request.block) * voicesMsPerSecond;
    case 'join-speakers':
      return joinMs;
  }
}

function seconds(audio: Uint8Array): number {
  return Math.ceil(audio.length / bytesPerSample / sampleRate);
}
