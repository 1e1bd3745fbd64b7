import type { Fault } from '../../catalogue/problem.ts'
import { findVoices } from '../voices/find-voices.ts'
import type { Voice } from '../voices/voice.ts'
import type { VoiceCatalogue } from '../voices/voice-catalogue.ts'

const FEMALE = ['flite.slt', 'espeak-ng.en-US.f3']
const MALE = ['flite.rms', 'espeak-ng.en-US.m3']

/**
 * Names that SDKs of the chat dialect know as voices
 * (https://platform.openai.com/docs/guides/text-to-speech#voice-options), and the voices that speak under them: the
 * first that is there.
 */
const KNOWN_NAMES: Readonly<Record<string, readonly string[]>> = {
  alloy: FEMALE,
  ash: MALE,
  ballad: MALE,
  cedar: MALE,
  coral: FEMALE,
  echo: MALE,
  fable: ['flite.awb', 'espeak-ng.en'],
  marin: FEMALE,
  nova: FEMALE,
  onyx: MALE,
  sage: FEMALE,
  shimmer: FEMALE,
  verse: MALE,
}

const MOST_SUGGESTIONS = 5

/**
 * The voice that a caller means: by its id, by one of the dialect's names, or by a language, of which it is the first.
 * @param names names of the operator's, which go before the known ones, and the ids they stand for
 */
export function chooseVoice(
  asked: string,
  catalogue: VoiceCatalogue,
  names: ReadonlyMap<string, string> = new Map(),
): { readonly voice: Voice } | { readonly fault: Omit<Fault, 'parameter'> } {
  const byId = (id: string) => catalogue.voices.find((voice) => voice.id === id)
  const known = Object.hasOwn(KNOWN_NAMES, asked) ? KNOWN_NAMES[asked] : undefined
  const ids = [asked, names.get(asked) ?? [], known ?? []].flat()
  const voice =
    ids.map(byId).find((found) => found !== undefined) ??
    findVoices(catalogue.voices, { language: asked }).find(({ language }) => isIn(language, asked))
  if (voice) return { voice }
  const provider = catalogue.providers.find(({ id }) => asked.startsWith(`${id}.`))
  if (provider && !provider.available)
    return { fault: { detail: `names ${provider.id}, which is not available here`, code: 'not_configured' } }
  const nearest = findNearest(asked, catalogue).join(', ')
  return { fault: { detail: `is no voice of GET /v1/audio/voices${nearest && `, such as ${nearest}`}` } }
}

function isIn(language: string, range: string): boolean {
  return `${language}-`.toLowerCase().startsWith(`${range}-`.toLowerCase())
}

/** Voices whose ids have most pairs of letters in common with what was asked for. */
function findNearest(asked: string, { voices }: VoiceCatalogue): readonly string[] {
  const wanted = pairsOf(asked.slice(0, 64))
  const score = (id: string) => {
    const pairs = [...pairsOf(id)]
    return pairs.filter((pair) => wanted.has(pair)).length / (pairs.length + wanted.size)
  }
  return voices
    .map(({ id }) => ({ id, score: score(id) }))
    .toSorted((one, other) => other.score - one.score)
    .slice(0, MOST_SUGGESTIONS)
    .map(({ id }) => id)
}

function pairsOf(text: string): Set<string> {
  const letters = text.toLowerCase()
  return new Set(Array.from({ length: letters.length - 1 }, (_, at) => letters.slice(at, at + 2)))
}
