import { type DialectModel, joinModels } from '../tiers/joined-model.ts'
import { createUpstreamFetch } from '../tiers/open-tiers.ts'
import type { TierFile } from '../tiers/tier-file.ts'
import { createUpstreamHealth, type HealthOptions } from '../tiers/upstream-health.ts'
import { loadTokenCounter, type TokenCounter } from '../token-count.ts'
import type { Unserved } from '../unserved.ts'
import { createEmbeddingsUpstream, type Embeddings, type EmbeddingsRequest } from './embeddings-upstream.ts'
import { createGgufEmbeddings } from './gguf-embeddings.ts'

/** The operator's model for embeddings, over one or several upstreams. */
export interface Embedder {
  /** @throws ModelRefused, ModelBusy, ModelFailed or the signal's reason */
  embed(request: EmbeddingsRequest, signal: AbortSignal): Promise<Embeddings>
  /** Parts of a request that no upstream that is ready supports. */
  findUnserved(request: EmbeddingsRequest): readonly Unserved[]
  /** Why its upstreams are not alive, for the operator. */
  notes(): readonly string[]
  /** Estimates token counts if the upstreams do not report them. */
  readonly countTokens: TokenCounter
  /** Whether some upstream can be called; must not block. */
  isReady(): boolean
  /** Seconds until an upstream that asked for a pause can be called again; at least 1. */
  pauseSeconds(): number
}

export async function openEmbedder(
  { strategy, upstreams }: NonNullable<TierFile['embeddings']>,
  { userAgent, health }: { readonly userAgent: string; readonly health?: HealthOptions },
): Promise<Embedder> {
  const members = upstreams.map((settings) => {
    const upstream = openUpstream(settings, userAgent)
    const { weight } = settings
    return { model: upstream, health: createUpstreamHealth(upstream.isAlive, health), weight }
  })
  const joined = joinModels<EmbeddingsRequest, Embeddings, never>({ strategy, members })
  const [countTokens] = await Promise.all([
    loadTokenCounter(),
    ...members.map(({ health }) => health.probe()),
  ])
  return {
    embed: joined.complete,
    findUnserved: joined.findUnserved,
    notes: () => members.flatMap(({ model }) => model.explain?.() ?? []),
    countTokens,
    isReady: joined.isReady,
    pauseSeconds: joined.pauseSeconds,
  }
}

type Settings = NonNullable<TierFile['embeddings']>['upstreams'][number]
type Upstream = DialectModel<EmbeddingsRequest, Embeddings, never> & {
  isAlive(): Promise<boolean>
  readonly explain?: () => string | null
}

function openUpstream(settings: Settings, userAgent: string): Upstream {
  if (settings.dialect === 'gguf') return openGgufEmbeddings(settings)
  const { base_url: baseUrl, model, key, total_ms: totalMs } = settings
  const fetch = createUpstreamFetch(settings, userAgent)
  return createEmbeddingsUpstream({ baseUrl, model, key, totalMs, fetch })
}

export function openGgufEmbeddings(settings: Extract<Settings, { readonly dialect: 'gguf' }>) {
  const { file, gpu, threads, queue: maxWaiting, total_ms: totalMs, context_tokens } = settings
  return createGgufEmbeddings({
    file,
    gpu,
    threads,
    maxWaiting,
    totalMs,
    contextTokens: context_tokens ?? null,
  })
}
