import { type ChatChunk, type ChatCompletion, type ChatRequest, hasContent } from '../chat/chat-messages.ts'
import type { ChatUpstream } from '../chat/chat-upstream.ts'
import { ModelFailed } from '../failure.ts'
import { holdFirstContent } from '../hold-first-content.ts'
import { findUnserved } from './find-unserved.ts'
import { createGgufProcess, toFailure } from './gguf-process.ts'
import { joinDeltas } from './join-deltas.ts'
import type { GgufDelta, GgufResult, GgufSettings } from './orders.ts'

export type GgufOptions = GgufSettings & {
  /** Maximum number of answers waiting for a slot. */
  readonly maxWaiting: number
  readonly firstTokenMs: number
  readonly totalMs: number
}

/**
 * An operator's model in a .gguf file, run by llama.cpp in its own process, so that neither its work nor a
 * crash blocks the server. The first health check loads it.
 */
export function createGgufUpstream(options: GgufOptions): ChatUpstream {
  const { maxWaiting, firstTokenMs, totalMs, ...settings } = options
  const { engine, acquire, explain, isAlive } = createGgufProcess({
    module: new URL('./gguf-engine.ts', import.meta.url),
    settings: settings satisfies GgufSettings,
    max: settings.sequences,
    maxWaiting,
    waitMs: firstTokenMs / 2,
  })

  async function* run(request: ChatRequest, signal: AbortSignal): AsyncGenerator<ChatChunk> {
    const left = new AbortController()
    const ends = AbortSignal.any([signal, left.signal])
    const release = await acquire(ends)
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
    explain,
    isAlive,
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
  }
}

function toChunk(delta: GgufDelta, finishReason: string | null = null): ChatChunk {
  return { choices: [{ index: 0, delta, finish_reason: finishReason }] }
}
