import { askEngine } from './ask-engine.ts'
import type { Gender, Voice } from './voice.ts'
import type { VoiceSource } from './voice-source.ts'

type Known = { readonly language: string; readonly gender: Gender | null; readonly sampleRate: number }

/**
 * Flite lists only names. Its own voices: https://github.com/festvox/flite#voices and the CMU ARCTIC
 * databases (awb a Scottish, rms and slt United States speakers); kal has 8 kHz.
 */
const KNOWN: Readonly<Record<string, Known>> = {
  awb: { language: 'en-GB', gender: 'male', sampleRate: 16_000 },
  kal: { language: 'en-US', gender: 'male', sampleRate: 8_000 },
  kal16: { language: 'en-US', gender: 'male', sampleRate: 16_000 },
  rms: { language: 'en-US', gender: 'male', sampleRate: 16_000 },
  slt: { language: 'en-US', gender: 'female', sampleRate: 16_000 },
}
/** A voice built into a distribution that is not in the table above. */
const UNKNOWN: Known = { language: 'en-US', gender: null, sampleRate: 16_000 }
/** Speaks only the time of day. */
const NO_VOICE = 'awb_time'

/** Flite: English voices of Carnegie Mellon University. */
export const flite: VoiceSource = {
  id: 'flite',
  list: (signal) => askEngine({ program: 'flite', flags: ['-lv'], parse: parseFliteVoices }, signal),
}

/** Parses the one line that `flite -lv` writes. */
export function parseFliteVoices(text = ''): readonly Voice[] {
  const names = /^Voices available:(.*)$/m.exec(text)?.[1]?.split(' ') ?? []
  return names.filter((name) => name !== '' && name !== NO_VOICE).map(toVoice)
}

function toVoice(name: string): Voice {
  const { language, gender, sampleRate } = Object.hasOwn(KNOWN, name) ? (KNOWN[name] ?? UNKNOWN) : UNKNOWN
  return {
    id: `flite.${name}`,
    provider: 'flite',
    name,
    language,
    languages: [language],
    gender,
    model: null,
    sample_rate: sampleRate,
    hosted: true,
    styles: [],
    sample_url: null,
  }
}
