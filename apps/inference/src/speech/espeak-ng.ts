import type { Programs } from '../engine/run-program.ts'
import type { SpeechEngine } from './speech-engine.ts'

/** Words per minute at speed 1 (espeak-ng(1), -s), and its minimum (speak_lib.h, espeakRATE_MINIMUM). */
const WORDS_A_MINUTE = 175
const MIN_WORDS = 80
/** 3,000 characters take it some 0.2 seconds. */
const DEADLINE_MS = 20_000
/** 22,050 samples per second: more than the longest speech that is sold. */
const MAX_BYTES = 60_000_000

/** eSpeak NG, run as a separate program for each text. */
export function createEspeakNg(programs: Programs): SpeechEngine {
  return {
    provider: 'espeak-ng',
    speeds: { min: Math.ceil((MIN_WORDS / WORDS_A_MINUTE) * 100) / 100, max: 4 },
    speak: async ({ voice, text, speed }, signal) => {
      const bytes = await programs.run(
        {
          program: 'espeak-ng',
          // -b 1: UTF-8. A variant follows the voice after a plus sign.
          args: [
            '-v',
            voice.id.slice('espeak-ng.'.length).replace('.', '+'),
            '-s',
            `${Math.round(WORDS_A_MINUTE * speed)}`,
            '-b',
            '1',
            '--stdin',
            '--stdout',
          ],
          // It would read text between [[ and ]] as phonemes.
          stdin: text.replaceAll(/\[(?=\[)/g, '[ '),
          maxBytes: MAX_BYTES,
          deadlineMs: DEADLINE_MS,
        },
        signal,
      )
      return { kind: 'wav', bytes }
    },
  }
}
