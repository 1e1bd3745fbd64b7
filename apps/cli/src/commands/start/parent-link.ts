import type { Announced } from '@tollbook/runtime/process/announce'
import { endAtOnce } from '@tollbook/runtime/process/crash-guard'
import type { Shutdown } from '@tollbook/runtime/process/shutdown'

/** The two processes that `tollbook start` runs. */
export type PartName = 'chain' | 'sellers'

/** Rows of the table that the parent prints: services, and others; and whether the part can do what it is for. */
export type PartTable = { readonly services: Announced; readonly notes: Announced; readonly isOpen: boolean }

export type FromPart =
  /** The chain can be used. */
  | { readonly kind: 'up' }
  /** Everything of the part serves; sent again when it is open. */
  | { readonly kind: 'ready'; readonly table: PartTable }

export type ToPart =
  /** The services sell, so that their listings can be read. */
  { readonly kind: 'sold' } | { readonly kind: 'stop' }

/** The parent, from the side of a part. */
export type ParentLink = {
  send(message: FromPart): void
  /** Resolves when the services sell. */
  readonly sold: Promise<void>
  /** Lets the parent alone stop this process: it decides the order. */
  stopOn(shutdown: Shutdown): void
}

export function openParentLink(): ParentLink {
  const { promise: sold, resolve } = Promise.withResolvers<void>()
  const stop = Promise.withResolvers<void>()
  process.on('message', ({ kind }: ToPart) => (kind === 'stop' ? stop.resolve() : resolve()))
  // The parent was killed.
  process.once('disconnect', endAtOnce)
  return {
    send: (message) => void process.send?.(message),
    sold,
    stopOn(shutdown) {
      void stop.promise.then(() => shutdown.stop(0))
      // A terminal and a supervisor send their signals to all processes.
      for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {})
    },
  }
}
