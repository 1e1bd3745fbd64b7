import type { GenesisFields } from './state-file.ts'

/** Start order for the guard process. */
export type GuardOrder = {
  readonly anvil: string
  readonly port: number
  /** That of a new chain; a stored one keeps its own. */
  readonly genesis: GenesisFields
  /** Arguments of anvil in addition to the port and the genesis. */
  readonly args: readonly string[]
  /** Where the chain is stored between runs; null stores nothing. */
  readonly stateFile: string | null
  /** How long to wait for a taken port, milliseconds. */
  readonly portWaitMs: number
}

export type ToGuard =
  /** Start the wall clock; from now on the chain is saved. */
  { readonly kind: 'start-clock' } | { readonly kind: 'save' } | { readonly kind: 'close' }

export type FromGuard =
  | { readonly kind: 'ready'; readonly anvilPid: number }
  | { readonly kind: 'clock-started' }
  | { readonly kind: 'saved' }
  /** The chain has ended for this reason; the guard exits next. */
  | { readonly kind: 'failed'; readonly reason: string }
