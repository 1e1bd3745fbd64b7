import { getPriority, setPriority } from 'node:os'
import type { FromEngine, ToEngine } from './engine-messages.ts'

/** Thrown by an engine that rejects an order; the value is passed to the caller. */
export class Refusal extends Error {
  readonly refusal: unknown
  constructor(refusal: unknown) {
    super('the engine rejected this order')
    this.refusal = refusal
  }
}

type Engine = {
  /** Reported once it is loaded. */
  readonly about: unknown
  /** @throws Refusal for an order that it rejects. */
  readonly run: (
    order: unknown,
    work: {
      readonly signal: AbortSignal
      readonly emit: (event: unknown) => void
      /** Gets from the server what the order needs, see `onRequest` of `EngineProcess`. */
      readonly request: (value: unknown) => Promise<unknown>
    },
  ) => Promise<unknown>
}

/** Niceness of an engine relative to the server, and the largest one (sched(7)). */
const NICENESS = 10
const MAX_NICENESS = 19

/**
 * Turns an engine into a process of its own: it loads when requested, works on orders, and ends with its
 * parent. Call it once, in the module that the process runs.
 * @param load its errors have human-readable messages for the operator
 */
export function serveEngine(load: (settings: unknown) => Promise<Engine>): void {
  const send = (message: FromEngine) => void process.send?.(message)
  const running = new Map<number, AbortController>()
  const requests = new Map<number, (value: unknown) => void>()
  let lastRequest = 0
  let engine: Engine | undefined

  async function runOrder(id: number, order: unknown): Promise<void> {
    const stop = new AbortController()
    running.set(id, stop)
    try {
      if (!engine) throw new Error('no engine is loaded')
      const emit = (event: unknown) => send({ kind: 'event', id, event })
      const request = (value: unknown) => {
        lastRequest += 1
        send({ kind: 'request', id, request: lastRequest, value })
        return new Promise((resolve) => requests.set(lastRequest, resolve))
      }
      send({ kind: 'result', id, result: await engine.run(order, { signal: stop.signal, emit, request }) })
    } catch (error) {
      if (error instanceof Refusal) send({ kind: 'refusal', id, refusal: error.refusal })
      else send({ kind: 'failure', id, reason: messageOf(error) })
    } finally {
      running.delete(id)
    }
  }

  // Only root may lower what the server was started with.
  setPriority(Math.min(MAX_NICENESS, getPriority() + NICENESS))
  process.once('disconnect', () => process.exit(0))
  // A terminal signals its whole process group; the parent, which drains first, ends this process.
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => {})
  process.on('message', (message: ToEngine) => {
    switch (message.kind) {
      case 'load':
        load(message.settings).then(
          (loaded) => {
            engine = loaded
            send({ kind: 'loaded', about: loaded.about })
          },
          (error: unknown) => send({ kind: 'unloadable', reason: messageOf(error) }),
        )
        break
      case 'run':
        void runOrder(message.id, message.order)
        break
      case 'stop':
        running.get(message.id)?.abort()
        break
      case 'response':
        requests.get(message.request)?.(message.value)
        requests.delete(message.request)
        break
      default:
        throw new Error('unreachable', { cause: message satisfies never })
    }
  })
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
