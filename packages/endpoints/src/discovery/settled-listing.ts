import type { AtomicUsdc } from '@tollbook/chain/usdc'
import type { ListedEndpoint } from './listed-endpoint.ts'

/** What a facilitator settled for the listings of a payee under a host. */
export type Settled = {
  /** Micro-USDC of all payers but the largest: the money of one wallet ranks nothing. */
  readonly ofOthers: AtomicUsdc
  readonly ofAll: AtomicUsdc
}

/** An offer as its seller sent it to be settled. */
export type SettledOffer = {
  readonly x402Version: 1 | 2
  readonly accepts: readonly {
    readonly scheme: string
    readonly network: string
    readonly asset: string
    readonly payTo: string
    readonly maxTimeoutSeconds: number
  }[]
  readonly mimeType?: string | undefined
  /** The declaration of version 2. */
  readonly bazaar?: { readonly info: { readonly input: { readonly type: string } } } | undefined
}

/** A listing of which the listing facilitator settled payments; `source` is its name. */
export type SettledListing = ListedEndpoint & {
  readonly source: string
  readonly settled: Settled
  readonly offer?: SettledOffer
}
