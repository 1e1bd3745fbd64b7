import type { Voice } from './voice.ts'
import type { VoiceSource } from './voice-source.ts'

type VoiceProvider = {
  readonly id: string
  readonly voices: number
  readonly languages: number
  readonly available: boolean
}

/** All voices of this installation, in the order of their ids. */
export type VoiceCatalogue = {
  readonly voices: readonly Voice[]
  readonly providers: readonly VoiceProvider[]
  /** For the operator: why a provider has no voices. */
  readonly notes: readonly string[]
}

/** Asks every engine once for its voices; one that is not installed has none, and that is no error. */
export async function loadVoiceCatalogue(
  sources: readonly VoiceSource[],
  signal: AbortSignal,
): Promise<VoiceCatalogue> {
  const listings = await Promise.all(
    sources.map(async ({ id, list }) => ({ id, listing: await list(signal) })),
  )
  const providers = listings.map(({ id, listing }) => {
    const voices = listing.isAvailable ? listing.voices : []
    const languages = new Set(voices.flatMap((voice) => voice.languages)).size
    return { id, voices: voices.length, languages, available: listing.isAvailable }
  })
  const voices = listings.flatMap(({ listing }) => (listing.isAvailable ? listing.voices : []))
  return Object.freeze({
    voices: voices.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    providers,
    notes: listings.flatMap(({ id, listing }) => (listing.isAvailable ? [] : [`${id}: ${listing.reason}`])),
  })
}
