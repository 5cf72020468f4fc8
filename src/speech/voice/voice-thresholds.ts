/** From which probability on somebody speaks: as the recording is, clear or far away. */

export interface VoiceThresholds {
  /** Speech begins above the first and ends below the second, so that a voice that fades is not cut to pieces. */
  speech: number;
  silence: number;
}

export const clearVoice: VoiceThresholds = { speech: 0.5, silence: 0.35 };
/** Across a room Silero gives a voice little more than this; sounds without a voice mostly stay below. */
const farVoice: VoiceThresholds = { speech: 0.15, silence: 0.1 };
/** Weak windows for each clear one: at most 0.08 in recordings at the microphone, 0.1 to 0.5 across a room. */
const weakShareClear = 0.085;
const weakShareFar = 0.1;
/** Without so much clear speech, 4 s of it, there may be none, or too little to count: no sound becomes speech by itself. */
const clearShareMin = 0.08;
const clearWindowsMin = 125;

/** For a block of a recording, from the probability of each of its windows. */
export function voiceThresholds(probabilities: Float32Array): VoiceThresholds {
  let clear = 0;
  let weak = 0;
  for (const probability of probabilities) {
    if (probability >= clearVoice.speech) clear += 1;
    else if (probability >= farVoice.speech) weak += 1;
  }
  if (clear < clearWindowsMin || clear < clearShareMin * probabilities.length) return clearVoice;
  const far = Math.min(1, Math.max(0, (weak / clear - weakShareClear) / (weakShareFar - weakShareClear)));
  return {
    speech: clearVoice.speech + far * (farVoice.speech - clearVoice.speech),
    silence: clearVoice.silence + far * (farVoice.silence - clearVoice.silence),
  };
}
