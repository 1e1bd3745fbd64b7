import type { Voice } from './voice.ts'
import type { VoiceListing, VoiceSource } from './voice-source.ts'

export type VoiceProvider = {
  readonly id: string
  readonly voices: number
  readonly languages: number
  /** Whether the last request for its voices succeeded; otherwise these are its previous voices. */
  readonly available: boolean
}

/** All voices of this installation, in the order of their ids. */
export type VoiceList = {
  readonly voices: readonly Voice[]
  readonly providers: readonly VoiceProvider[]
  /** For the operator: why a provider is not available. */
  readonly notes: readonly string[]
}

/** The voices, collected from their providers and refreshed when they are stale. */
export type VoiceCatalogue = {
  /** The cached voices. Stale lists are refreshed in the background. */
  current(): VoiceList
  /** Refreshes stale lists, and waits for them. */
  refresh(): Promise<void>
}

export type VoiceCatalogueOptions = {
  /** TTL of a list, ms; default an hour. */
  readonly refreshMs?: number
  /** The same after a provider failed; default a minute. */
  readonly retryMs?: number
  /** Timeout after which a provider counts as unavailable, ms; default 10,000. */
  readonly timeoutMs?: number
  readonly nowMs?: () => number
  /** Called once when a provider begins to fail, with the reason for the operator. */
  readonly onUnavailable?: (note: string) => void
}

const DEFAULTS = {
  refreshMs: 3_600_000,
  retryMs: 60_000,
  timeoutMs: 10_000,
  nowMs: () => performance.now(),
}

type Known = {
  readonly voices: readonly Voice[]
  /** Null while the provider is available. */
  readonly reason: string | null
  readonly askedMs: number
}

/** Queries every provider for its voices; one that fails has none, which is not an error. */
export async function openVoiceCatalogue(
  sources: readonly VoiceSource[],
  options: VoiceCatalogueOptions = {},
): Promise<VoiceCatalogue> {
  const { refreshMs, retryMs, timeoutMs, nowMs } = { ...DEFAULTS, ...options }
  const known = new Map<VoiceSource, Known>()
  let list = toList(sources, known)
  let asking: Promise<void> | undefined

  const isOld = (source: VoiceSource) => {
    const last = known.get(source)
    return !last || nowMs() - last.askedMs >= (last.reason === null ? refreshMs : retryMs)
  }
  async function ask(source: VoiceSource): Promise<void> {
    const listing = await listVoices(source, timeoutMs)
    const isAvailable = listing.isAvailable
    const last = known.get(source)
    if (!isAvailable && (!last || last.reason === null))
      options.onUnavailable?.(`${source.id}: ${listing.reason}`)
    known.set(source, {
      voices: isAvailable ? listing.voices : (last?.voices ?? []),
      reason: isAvailable ? null : listing.reason,
      askedMs: nowMs(),
    })
  }
  function refresh(): Promise<void> {
    asking ??= Promise.all(sources.filter(isOld).map(ask))
      .then(() => {
        list = toList(sources, known)
      })
      .finally(() => {
        asking = undefined
      })
    return asking
  }

  await refresh()
  return {
    refresh,
    current() {
      if (!asking && sources.some(isOld)) refresh().catch(() => {})
      return list
    },
  }
}

async function listVoices(source: VoiceSource, timeoutMs: number): Promise<VoiceListing> {
  try {
    return await source.list(AbortSignal.timeout(timeoutMs))
  } catch (error) {
    return { isAvailable: false, reason: error instanceof Error ? error.message : String(error) }
  }
}

function toList(sources: readonly VoiceSource[], known: ReadonlyMap<VoiceSource, Known>): VoiceList {
  const lists = sources.map((source) => ({
    id: source.id,
    ...(known.get(source) ?? { voices: [], reason: 'not queried yet' }),
  }))
  return Object.freeze({
    voices: lists.flatMap(({ voices }) => voices).toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    providers: lists.map(({ id, voices, reason }) => ({
      id,
      voices: voices.length,
      languages: new Set(voices.flatMap(({ languages }) => languages)).size,
      available: reason === null,
    })),
    notes: lists.flatMap(({ id, reason }) => (reason === null ? [] : [`${id}: ${reason}`])),
  })
}
