import type { ChatChunk, ChatRequest } from '../chat/chat-messages.ts'
import type { ChatUpstream } from '../chat/chat-upstream.ts'
import type { ChatModel } from '../chat-model.ts'
import { ModelBusy, ModelFailed, ModelRefused } from '../failure.ts'
import type { Unserved } from '../unserved.ts'
import type { UpstreamHealth } from './upstream-health.ts'

/** One upstream of a tier. */
export type TierUpstream = {
  readonly model: Pick<ChatUpstream, 'complete' | 'stream' | 'findUnserved'>
  readonly health: UpstreamHealth
  /** Its share, where the tier is weighted. */
  readonly weight: number
}

export type TierModelOptions = {
  readonly strategy: 'fallback' | 'weighted'
  readonly upstreams: readonly TierUpstream[]
  /** From 0 to below 1; default Math.random. */
  readonly random?: () => number
}

/** The model of a tier: several upstreams behind one port. */
export type TierModel = ChatModel & {
  /** Whether some upstream may be asked; must not wait. */
  readonly isReady: () => boolean
  /** Seconds after which an upstream that asked for a pause may be asked again; at least 1. */
  readonly pauseSeconds: () => number
  /** What of a request no ready upstream can serve; told before anything is paid. */
  readonly findUnserved: (request: ChatRequest) => readonly Unserved[]
}

/**
 * Joins upstreams to one model. While nothing of an answer was given, the next upstream takes over from one that
 * fails or is busy; what an upstream refuses, the others are not asked.
 */
export function createTierModel({ strategy, upstreams, random = Math.random }: TierModelOptions): TierModel {
  const pauseSeconds = () => Math.max(1, Math.min(...upstreams.map(({ health }) => health.pauseSeconds())))

  const findReady = () => upstreams.filter(({ health }) => health.isReady())

  async function attempt<Result>(
    request: ChatRequest,
    work: (upstream: TierUpstream) => Promise<Result>,
    signal: AbortSignal,
  ): Promise<Result> {
    const all = findReady()
    const ready = all.filter(({ model }) => unservedBy(model, request).length === 0)
    const [first] = all
    if (first && ready.length === 0) {
      const unserved = unservedBy(first.model, request)
      throw new ModelRefused('no upstream can serve the request', { isTooLong: false, unserved })
    }
    let failure: Error | undefined
    for (const upstream of strategy === 'weighted' ? drawOrder(ready, random) : ready) {
      signal.throwIfAborted()
      try {
        return await work(upstream)
      } catch (error) {
        signal.throwIfAborted()
        upstream.health.fail(error)
        if (!(error instanceof ModelBusy || error instanceof ModelFailed)) throw error
        failure = error
      }
    }
    throw failure ?? new ModelBusy('no upstream is ready', { retryAfterSeconds: pauseSeconds() })
  }

  return {
    pauseSeconds,
    // All are asked, so that each is probed.
    isReady: () => findReady().length > 0,
    findUnserved(request) {
      const found = findReady().map(({ model }) => unservedBy(model, request))
      return found.some((unserved) => unserved.length === 0) ? [] : (found[0] ?? [])
    },
    complete: (request, signal) =>
      attempt(
        request,
        async ({ model, health }) => {
          const answer = await model.complete(request, signal)
          health.succeed()
          return answer
        },
        signal,
      ),
    stream: (request, signal) =>
      attempt(
        request,
        async ({ model, health }) => watch(await model.stream(request, signal), health, signal),
        signal,
      ),
  }
}

function unservedBy({ findUnserved }: TierUpstream['model'], request: ChatRequest): readonly Unserved[] {
  return findUnserved?.(request) ?? []
}

/** The chunks of an upstream, whose health learns how they end. */
async function* watch(
  chunks: AsyncIterable<ChatChunk>,
  health: UpstreamHealth,
  signal: AbortSignal,
): AsyncGenerator<ChatChunk> {
  try {
    yield* chunks
    health.succeed()
  } catch (error) {
    if (!signal.aborted) health.fail(error)
    throw error
  }
}

/** All of them in a random order, in which each place is drawn by weight. */
function drawOrder(upstreams: readonly TierUpstream[], random: () => number): readonly TierUpstream[] {
  const left = [...upstreams]
  const order: TierUpstream[] = []
  while (left.length > 0) {
    let at = random() * left.reduce((sum, { weight }) => sum + weight, 0)
    const drawn = left.findIndex(({ weight }) => {
      at -= weight
      return at < 0
    })
    order.push(...left.splice(Math.max(0, drawn), 1))
  }
  return order
}
