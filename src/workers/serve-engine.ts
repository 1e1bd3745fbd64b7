import { setPriority } from 'node:os'
import type { FromEngine, ToEngine } from './engine-messages.ts'

/** Thrown by an engine that does not take an order; the value arrives at who gave it. */
export class Refusal extends Error {
  readonly refusal: unknown
  constructor(refusal: unknown) {
    super('the engine does not take this order')
    this.refusal = refusal
  }
}

type Engine = {
  /** Told once it is loaded. */
  readonly about: unknown
  /** @throws Refusal of an order that it does not take. */
  readonly run: (
    order: unknown,
    work: { readonly signal: AbortSignal; readonly emit: (event: unknown) => void },
  ) => Promise<unknown>
}

/** Steps by which an engine stands behind the server, where both want a core (sched(7)). */
const NICENESS = 10

/**
 * Makes a process of its own of an engine: it loads when told, works on orders, and ends with its parent.
 * To be called once, in the module that the process runs.
 * @param load throws in words for the operator
 */
export function serveEngine(load: (settings: unknown) => Promise<Engine>): void {
  const send = (message: FromEngine) => void process.send?.(message)
  const running = new Map<number, AbortController>()
  let engine: Engine | undefined

  async function runOrder(id: number, order: unknown): Promise<void> {
    const stop = new AbortController()
    running.set(id, stop)
    try {
      if (!engine) throw new Error('nothing is loaded')
      const emit = (event: unknown) => send({ kind: 'event', id, event })
      send({ kind: 'result', id, result: await engine.run(order, { signal: stop.signal, emit }) })
    } catch (error) {
      if (error instanceof Refusal) send({ kind: 'refusal', id, refusal: error.refusal })
      else send({ kind: 'failure', id, reason: messageOf(error) })
    } finally {
      running.delete(id)
    }
  }

  setPriority(NICENESS)
  process.once('disconnect', () => process.exit(0))
  // A terminal tells its whole group; the parent, which drains first, ends this process.
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
      default:
        throw new Error('unreachable', { cause: message satisfies never })
    }
  })
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
