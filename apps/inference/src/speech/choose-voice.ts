import type { Issue } from '@tollbook/http/problem'
import { findVoices, isInRange } from '../voices/find-voices.ts'
import type { Gender, Voice } from '../voices/voice.ts'
import type { VoiceList } from '../voices/voice-catalogue.ts'

type Known = { readonly ids: readonly string[]; readonly gender: Gender }

const female = (...ids: readonly string[]): Known => ({
  ids: [...ids, 'flite.slt', 'espeak-ng.en-US.f3'],
  gender: 'female',
})
const male = (...ids: readonly string[]): Known => ({
  ids: [...ids, 'flite.rms', 'espeak-ng.en-US.m3'],
  gender: 'male',
})

/**
 * Voice names that SDKs of the chat dialect know
 * (https://platform.openai.com/docs/guides/text-to-speech#voice-options), and the voices that speak under
 * them: OpenAI's own, else those of the same name, else the first available, else any English one, of the
 * same gender if there is one.
 */
const KNOWN_NAMES: Readonly<Record<string, Known>> = {
  alloy: female('openai.alloy', 'kokoro.af_alloy'),
  ash: male('openai.ash', 'kokoro.am_michael'),
  ballad: male('openai.ballad', 'kokoro.bm_george'),
  cedar: male('openai.cedar', 'kokoro.am_fenrir'),
  coral: female('openai.coral', 'kokoro.af_bella'),
  echo: male('openai.echo', 'kokoro.am_echo'),
  fable: { ids: ['openai.fable', 'kokoro.bm_fable', 'flite.awb', 'espeak-ng.en'], gender: 'male' },
  marin: female('openai.marin', 'kokoro.af_heart'),
  nova: female('openai.nova', 'kokoro.af_nova'),
  onyx: male('openai.onyx', 'kokoro.am_onyx'),
  sage: female('openai.sage', 'kokoro.af_sarah'),
  shimmer: female('openai.shimmer', 'kokoro.af_sky'),
  verse: male('openai.verse', 'kokoro.am_puck'),
}

const MAX_SUGGESTIONS = 5

type Choice = {
  readonly list: VoiceList
  /** The operator's names, which take precedence over the known ones, and the ids of their voices. */
  readonly names?: ReadonlyMap<string, string>
  /** Whether a provider is available now; of several voices one of such a provider is chosen. */
  readonly isReady?: (provider: string) => boolean
}

/**
 * The voice that a caller selects: by its id, by one of the dialect's names, or by a language, whose first
 * voice it is.
 */
export function chooseVoice(
  sent: string,
  { list, names = new Map(), isReady = () => true }: Choice,
): { readonly voice: Voice } | { readonly issue: Omit<Issue, 'parameter'> } {
  const wanted = names.get(sent) ?? sent
  const exact = list.voices.find(({ id }) => id === wanted)
  if (exact) return { voice: exact }
  const fitting = [...findByName(sent, list.voices), ...findByLanguage(sent, list.voices)]
  const voice = fitting.find(({ provider }) => isReady(provider)) ?? fitting[0]
  if (voice) return { voice }
  const provider = list.providers.find(({ id }) => wanted.startsWith(`${id}.`))
  if (provider && !provider.available)
    return { issue: { detail: `names ${provider.id}, which is not available here`, code: 'not_configured' } }
  const nearest = findNearest(sent, [...candidatesOf(list.voices), ...[...names.keys()].map(named)]).join(
    ', ',
  )
  return { issue: { detail: `is not a voice of GET /v1/audio/voices${nearest && `, such as ${nearest}`}` } }
}

function findByName(sent: string, voices: readonly Voice[]): readonly Voice[] {
  const known = Object.hasOwn(KNOWN_NAMES, sent) ? KNOWN_NAMES[sent] : undefined
  if (!known) return []
  const named = known.ids.flatMap((wanted) => voices.find(({ id }) => id === wanted) ?? [])
  const english = findVoices(voices, { language: 'en' })
  return [...named, ...english.filter(({ gender }) => gender === known.gender), ...english]
}

function findByLanguage(sent: string, voices: readonly Voice[]): readonly Voice[] {
  return findVoices(voices, { language: sent }).filter(({ language }) =>
    isInRange(language.toLowerCase(), sent.toLowerCase()),
  )
}

/** A voice by what it is called; callers send `id`. */
type Candidate = { readonly id: string; readonly names: readonly string[] }

const named = (id: string): Candidate => ({ id, names: [id] })

/** The names of the dialect for which there is a voice, then all voices. */
function candidatesOf(voices: readonly Voice[]): readonly Candidate[] {
  const known = Object.keys(KNOWN_NAMES).filter((name) => findByName(name, voices).length > 0)
  return [...known.map(named), ...voices.map(({ id, name }) => ({ id, names: [id, name] }))]
}

/** Below this share of common letter pairs a name has nothing to do with the requested one. */
const MIN_SCORE = 0.25

/** The candidates whose ids or names share the largest number of letter pairs with the requested one. */
function findNearest(sent: string, candidates: readonly Candidate[]): readonly string[] {
  const wanted = pairsOf(sent.slice(0, 64))
  const score = (text: string) => {
    const pairs = [...pairsOf(text)]
    return pairs.filter((pair) => wanted.has(pair)).length / (pairs.length + wanted.size)
  }
  return candidates
    .map(({ id, names }) => ({ id, score: Math.max(...names.map(score)) }))
    .filter((one) => one.score >= MIN_SCORE)
    .toSorted((one, other) => other.score - one.score)
    .slice(0, MAX_SUGGESTIONS)
    .map(({ id }) => id)
}

function pairsOf(text: string): Set<string> {
  const letters = text.toLowerCase()
  return new Set(Array.from({ length: letters.length - 1 }, (_, at) => letters.slice(at, at + 2)))
}
