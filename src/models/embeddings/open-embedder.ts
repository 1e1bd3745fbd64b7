import { joinModels } from '../tiers/joined-model.ts'
import { createUpstreamFetch } from '../tiers/open-tiers.ts'
import type { TierFile } from '../tiers/tier-file.ts'
import { createUpstreamHealth, type HealthOptions } from '../tiers/upstream-health.ts'
import { loadTokenCounter, type TokenCounter } from '../token-count.ts'
import { createEmbeddingsUpstream, type Embeddings, type EmbeddingsRequest } from './embeddings-upstream.ts'

/** The operator's model for embeddings, over one or several upstreams. */
export interface Embedder {
  /** @throws ModelRefused, ModelBusy, ModelFailed or the signal's reason */
  embed(request: EmbeddingsRequest, signal: AbortSignal): Promise<Embeddings>
  /** Estimates token counts if the upstreams do not report them. */
  readonly countTokens: TokenCounter
  /** Whether some upstream can be called; must not block. */
  isReady(): boolean
  /** Seconds until an upstream that asked for a pause can be called again; at least 1. */
  pauseSeconds(): number
}

/** Opens the upstreams of the models file, and probes each. */
export async function openEmbedder(
  { strategy, upstreams }: NonNullable<TierFile['embeddings']>,
  { userAgent, health }: { readonly userAgent: string; readonly health?: HealthOptions },
): Promise<Embedder> {
  const members = upstreams.map((settings) => {
    const { base_url: baseUrl, model, key, total_ms: totalMs, weight } = settings
    const fetch = createUpstreamFetch(settings, userAgent)
    const upstream = createEmbeddingsUpstream({ baseUrl, model, key, totalMs, fetch })
    return { model: upstream, health: createUpstreamHealth(upstream.isAlive, health), weight }
  })
  const pauseSeconds = () => Math.max(1, Math.min(...members.map(({ health }) => health.pauseSeconds())))
  const { complete } = joinModels({ strategy, members, pauseSeconds, random: Math.random })
  const [countTokens] = await Promise.all([
    loadTokenCounter(),
    ...members.map(({ health }) => health.probe()),
  ])
  return {
    embed: complete,
    countTokens,
    isReady: () => members.filter(({ health }) => health.isReady()).length > 0,
    pauseSeconds,
  }
}
