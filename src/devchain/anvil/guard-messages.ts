/** What the guard process is told at its start. */
export type GuardOrder = {
  readonly anvil: string
  readonly port: number
  /** Arguments of anvil beside the port. */
  readonly args: readonly string[]
  /** Where the chain is kept between runs; null keeps nothing. */
  readonly stateFile: string | null
  /** How long a taken port may take to become free, milliseconds. */
  readonly portWaitMs: number
}

export type ToGuard =
  /** Block time follows the wall clock from now on, and the chain is worth keeping. */
  { readonly kind: 'start-clock' } | { readonly kind: 'save' } | { readonly kind: 'close' }

export type FromGuard =
  | { readonly kind: 'ready'; readonly anvilPid: number }
  | { readonly kind: 'clock-started' }
  | { readonly kind: 'saved' }
  /** The chain is gone, for this reason; the guard exits after it. */
  | { readonly kind: 'failed'; readonly reason: string }
