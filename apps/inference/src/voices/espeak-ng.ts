import { askEngine } from './ask-engine.ts'
import { type Gender, toLanguageTag, type Voice } from './voice.ts'
import type { VoiceSource } from './voice-source.ts'

/** eSpeak NG synthesises at 22,050 samples a second (src/libespeak-ng/wavegen.c, default). */
const SAMPLE_RATE = 22_050

/** Chosen: the numbered variants, whose names are self-explanatory; the other 90 are effects and jokes. */
const OFFERED_VARIANT = /^[mf]\d$/

/** eSpeak NG: one voice per language, each also with variants of the speaker. */
export const espeakNg: VoiceSource = {
  id: 'espeak-ng',
  list: (signal) =>
    askEngine(
      { program: 'espeak-ng', flags: ['--voices', '--voices=variant'], parse: parseEspeakVoices },
      signal,
    ),
}

/** Parses the tables of `espeak-ng --voices` and `espeak-ng --voices=variant`. */
export function parseEspeakVoices(voices = '', variants = ''): readonly Voice[] {
  const offered = parseTable(variants).filter(({ file }) => OFFERED_VARIANT.test(file))
  return parseTable(voices).flatMap((line) => {
    const plain = toVoice(line)
    const varied = offered.map((variant) => ({
      ...plain,
      id: `${plain.id}.${variant.file}`,
      name: `${plain.name} (${variant.file})`,
      gender: variant.gender,
    }))
    return [plain, ...varied]
  })
}

type Line = {
  readonly language: string
  readonly gender: Gender | null
  readonly name: string
  /** Name of the voice's file without folders: the argument of `-v`, and unique. */
  readonly file: string
  readonly otherLanguages: readonly string[]
}

/** Columns: Pty, Language, Age/Gender, VoiceName (spaces as underscores), File, Other Languages as `(tag 5)`. */
const LINE = /^\s*\d+\s+(\S+)\s+[^\s/]+\/(\S)\s+(\S+)\s+(.+?)\s*((?:\(\S+ \d+\))*)\s*$/

function parseTable(text: string): readonly Line[] {
  return text.split('\n').flatMap((line) => {
    const match = LINE.exec(line)
    if (!match) return []
    const [, language = '', gender, name = '', file = '', others = ''] = match
    return {
      language,
      gender: gender === 'F' ? 'female' : gender === 'M' ? 'male' : null,
      name: name.replaceAll('_', ' ').trim(),
      file: file.slice(file.lastIndexOf('/') + 1),
      otherLanguages: [...others.matchAll(/\((\S+) \d+\)/g)].map((other) => other[1] ?? ''),
    }
  })
}

function toVoice({ language, gender, name, file, otherLanguages }: Line): Voice {
  const languages = [...new Set([language, ...otherLanguages].map(toLanguageTag))]
  return {
    id: `espeak-ng.${file}`,
    provider: 'espeak-ng',
    name,
    language: languages[0] ?? language,
    languages,
    gender,
    model: null,
    sample_rate: SAMPLE_RATE,
    hosted: true,
    styles: [],
    sample_url: null,
  }
}
