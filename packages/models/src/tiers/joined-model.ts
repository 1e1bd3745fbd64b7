import { type CallOwner, callOwner } from '@tollbook/flow/circuit-breaker'
import { ModelBusy, ModelFailed, ModelRefused } from '../failure.ts'
import type { Unserved } from '../unserved.ts'
import type { UpstreamHealth } from './upstream-health.ts'

export type DialectModel<Request, Whole, Chunk> = {
  complete(request: Request, signal: AbortSignal): Promise<Whole>
  stream(request: Request, signal: AbortSignal): Promise<AsyncIterable<Chunk>>
  findUnserved?(request: Request): readonly Unserved[]
}

type Member<Model> = {
  readonly model: Model
  readonly health: UpstreamHealth
  /** Share of the calls, for the strategy `weighted`. */
  readonly weight: number
}

type Members<Model> = {
  readonly strategy: 'fallback' | 'weighted'
  readonly members: readonly Member<Model>[]
  /** Random number from 0 to below 1; default Math.random. */
  readonly random?: (() => number) | undefined
}

export type JoinedModel<Request, Whole, Chunk> = Required<DialectModel<Request, Whole, Chunk>> & {
  /** Whether some upstream can be called; must not block. */
  isReady(): boolean
  /** Seconds until an upstream that asked for a pause can be called again; at least 1. */
  pauseSeconds(): number
}

/**
 * Joins upstreams into one model. Until the first content, the next upstream takes over from one that fails
 * or is busy. If an upstream refuses a request, the others are not tried.
 */
export function joinModels<Request, Whole, Chunk>({
  strategy,
  members,
  random = Math.random,
}: Members<DialectModel<Request, Whole, Chunk>>): JoinedModel<Request, Whole, Chunk> {
  type Upstream = Member<DialectModel<Request, Whole, Chunk>>
  // Every upstream is checked, so that each is probed.
  const findReady = () => members.filter(({ health }) => health.isReady())
  const pauseSeconds = () => Math.max(1, Math.min(...members.map(({ health }) => health.pauseSeconds())))
  const unservedBy = ({ model }: Upstream, request: Request) => model.findUnserved?.(request) ?? []

  async function attempt<Result>(
    request: Request,
    work: (upstream: Upstream, owner: CallOwner) => Promise<Result>,
    signal: AbortSignal,
  ): Promise<Result> {
    const owner = callOwner()
    const all = findReady()
    const ready = all.filter((upstream) => unservedBy(upstream, request).length === 0)
    const [first] = all
    if (first && ready.length === 0) {
      const unserved = unservedBy(first, request)
      throw new ModelRefused('no upstream supports the request', { isTooLong: false, unserved })
    }
    let failure: Error | undefined
    for (const upstream of strategy === 'weighted' ? drawOrder(ready, random) : ready) {
      signal.throwIfAborted()
      try {
        return await work(upstream, owner)
      } catch (error) {
        signal.throwIfAborted()
        upstream.health.fail(error, owner)
        if (!(error instanceof ModelBusy || error instanceof ModelFailed)) throw error
        failure = error
      }
    }
    throw failure ?? new ModelBusy('no upstream is ready', { retryAfterSeconds: pauseSeconds() })
  }

  return {
    pauseSeconds,
    isReady: () => findReady().length > 0,
    findUnserved(request) {
      const found = findReady().map((upstream) => unservedBy(upstream, request))
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
        async ({ model, health }, owner) =>
          watch(await model.stream(request, signal), { health, signal, owner }),
        signal,
      ),
  }
}

/** Passes on the chunks of an upstream and records its success or failure. */
function watch<Chunk>(
  chunks: AsyncIterable<Chunk>,
  { health, signal, owner }: { health: UpstreamHealth; signal: AbortSignal; owner: CallOwner },
): AsyncIterable<Chunk> {
  const source = chunks[Symbol.asyncIterator]()
  const iterator: AsyncIterator<Chunk> = {
    next: () =>
      source.next().then(
        (result) => {
          if (result.done) health.succeed()
          return result
        },
        (error: unknown) => {
          if (!signal.aborted) health.fail(error, owner)
          throw error
        },
      ),
    return: async () => (await source.return?.()) ?? { done: true, value: undefined },
  }
  return { [Symbol.asyncIterator]: () => iterator }
}

/** Orders upstreams randomly, drawing each position by weight. */
function drawOrder<Upstream extends { readonly weight: number }>(
  upstreams: readonly Upstream[],
  random: () => number,
): readonly Upstream[] {
  const left = [...upstreams]
  const order: Upstream[] = []
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
