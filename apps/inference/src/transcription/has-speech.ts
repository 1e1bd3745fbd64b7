import type { Transcript } from './transcriber.ts'

/** Whisper models describe sounds: `[BLANK_AUDIO]`, `(silence)`, `*music*`, `♪♪`. */
const SOUNDS = /\[[^\]]*\]|\([^)]*\)|（[^）]*）|【[^】]*】|\*[^*]*\*|♪[^♪]*♪/gu
/** Whisper's own rule for a segment that it made up (`no_speech_threshold`, `logprob_threshold`). */
const NO_SPEECH = { probability: 0.6, logarithm: -1 }

/** Whether a transcript has words, rather than descriptions of sounds or what a model makes up for noise. */
export function hasSpeech({ text, segments }: Pick<Transcript, 'text' | 'segments'>): boolean {
  if (!/[\p{L}\p{N}]/u.test(text.replaceAll(SOUNDS, ''))) return false
  return segments.length === 0 || segments.some((segment) => !isMadeUp(segment))
}

function isMadeUp({ no_speech_prob, avg_logprob }: Transcript['segments'][number]): boolean {
  if (no_speech_prob === undefined || avg_logprob === undefined) return false
  return no_speech_prob > NO_SPEECH.probability && avg_logprob < NO_SPEECH.logarithm
}
