import { createSemaphore } from '../../flow/semaphore.ts'
import { createEngineProcess, EngineRefused } from '../../workers/engine-process.ts'
import { type ChatChunk, type ChatCompletion, type ChatRequest, hasContent } from '../chat/chat-messages.ts'
import type { ChatUpstream } from '../chat/chat-upstream.ts'
import { ModelBusy, ModelFailed, ModelRefused } from '../failure.ts'
import { holdFirstContent } from '../hold-first-content.ts'
import { findUnserved } from './find-unserved.ts'
import { joinDeltas } from './join-deltas.ts'
import type { GgufDelta, GgufRefusal, GgufResult, GgufSettings } from './orders.ts'

export type GgufOptions = GgufSettings & {
  /** Maximum number of answers waiting for a slot. */
  readonly maxWaiting: number
  readonly firstTokenMs: number
  readonly totalMs: number
}

/** How long a health check waits for the model to load: enough to read several gigabytes from a slow disk. */
const LOAD_TIMEOUT_MS = 60_000
/** Chosen: time for some tokens of another answer. */
const RETRY_AFTER_SECONDS = 1

/**
 * An operator's model in a .gguf file, run by llama.cpp in its own process, so that neither its work nor a
 * crash blocks the server. The first health check loads it.
 */
export function createGgufUpstream(options: GgufOptions): ChatUpstream {
  const { maxWaiting, firstTokenMs, totalMs, ...settings } = options
  const engine = createEngineProcess({
    module: new URL('./gguf-engine.ts', import.meta.url),
    settings: settings satisfies GgufSettings,
  })
  const semaphore = createSemaphore({ max: settings.sequences, maxWaiting })
  let fault: string | null = 'the model is still loading'

  async function* run(request: ChatRequest, signal: AbortSignal): AsyncGenerator<ChatChunk> {
    const left = new AbortController()
    const ends = AbortSignal.any([signal, left.signal])
    const turn = AbortSignal.any([ends, AbortSignal.timeout(firstTokenMs / 2)])
    const release = await semaphore.acquire(turn).catch(() => {
      ends.throwIfAborted()
      throw new ModelBusy('too many answers are waiting', { retryAfterSeconds: RETRY_AFTER_SECONDS })
    })
    const deltas: GgufDelta[] = []
    let wake = () => {}
    let isDone = false
    const work = engine
      .run(
        { request },
        {
          signal: ends,
          onEvent(event) {
            // Emitted by the engine module.
            deltas.push(event as GgufDelta)
            wake()
          },
        },
      )
      .finally(() => {
        isDone = true
        release()
        wake()
      })
    work.catch(() => {})
    try {
      yield toChunk({ role: 'assistant', content: '' })
      while (!isDone || deltas.length > 0) {
        const delta = deltas.shift()
        if (delta) yield toChunk(delta)
        else
          await new Promise<void>((resolve) => {
            wake = resolve
            if (isDone || deltas.length > 0) resolve()
          })
      }
      const { finishReason, usage } = (await work) as GgufResult
      yield toChunk({}, finishReason)
      yield { choices: [], usage }
    } finally {
      left.abort(new Error('the consumer stopped reading'))
    }
  }

  /** Converts errors of the engine to model failures. */
  async function* runAsModel(request: ChatRequest, signal: AbortSignal): AsyncGenerator<ChatChunk> {
    const late = AbortSignal.timeout(totalMs)
    try {
      yield* run(request, AbortSignal.any([signal, late]))
    } catch (error) {
      signal.throwIfAborted()
      if (late.aborted) throw new ModelFailed('the model timed out', { isLate: true })
      throw toFailure(error)
    }
  }

  return {
    findUnserved,
    explain: () => fault,
    async complete(request, signal): Promise<ChatCompletion> {
      const chunks: ChatChunk[] = []
      for await (const chunk of runAsModel(request, signal)) chunks.push(chunk)
      return joinDeltas(chunks)
    },
    stream(request, signal) {
      // A generator that is waiting can only be stopped by its signal.
      const left = new AbortController()
      const chunks = runAsModel(request, AbortSignal.any([signal, left.signal]))
      const close = () => left.abort(new Error('the consumer stopped reading'))
      return holdFirstContent(chunks, { hasContent, firstTokenMs, close })
    },
    async isAlive() {
      const loading = engine.load().then(
        () => {
          fault = null
          return true
        },
        (error: unknown) => {
          fault = error instanceof Error ? error.message : String(error)
          return false
        },
      )
      const timeout = Promise.withResolvers<boolean>()
      const timer = setTimeout(() => timeout.resolve(false), LOAD_TIMEOUT_MS)
      return await Promise.race([loading, timeout.promise]).finally(() => clearTimeout(timer))
    },
  }
}

function toFailure(error: unknown): unknown {
  if (error instanceof ModelBusy) return error
  if (!(error instanceof EngineRefused)) return new ModelFailed('the local model failed', { cause: error })
  // Thrown by the engine module.
  const { reason, isTooLong } = error.refusal as GgufRefusal
  return new ModelRefused(`the local model refused the request: ${reason}`, { isTooLong })
}

function toChunk(delta: GgufDelta, finishReason: string | null = null): ChatChunk {
  return { choices: [{ index: 0, delta, finish_reason: finishReason }] }
}
