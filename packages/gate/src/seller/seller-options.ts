import type { Address, Hex } from '@tollbook/chain/hex'
import { findNetwork, type Network } from '@tollbook/chain/network'
import type { Logger } from '@tollbook/flow/logger'
import type { RunningFacilitator } from '../facilitator.ts'
import type { OpenChannels } from '../gate/channels.ts'
import type { GateLimits } from '../gate/gate-options.ts'
import type { ChainAccess } from '../reading/chain-access.ts'
import type { State } from '../state/state.ts'

/** What a facilitator with wallets of the seller needs of the gate. */
export type FacilitatorParts = {
  readonly chain: ChainAccess
  readonly state: State
  readonly logger: Logger
}

/** Opens a facilitator in this process, such as `ownFacilitator({ key })` of `@tollbook/facilitator`. */
export type OpenFacilitator = (parts: FacilitatorParts) => Promise<RunningFacilitator>

/** Payment channels, such as `createChannels()` of `@tollbook/channels`. */
export type SoldChannels = {
  readonly open: OpenChannels
  /** Seconds between a payer's withdrawal and its payment: 900 to 2,592,000. */
  readonly withdrawDelay: number
}

export type SellerOptions = {
  /** The wallet that is paid. Two stores never share one. */
  readonly payTo: Address
  /** A known network by name or CAIP-2 id, or one of your own. */
  readonly network: string | Network
  /** An RPC of that network, `http(s)://…`: the chain decides what became of a payment. */
  readonly rpcUrl: string
  /** The URL of a facilitator, or one of your own. */
  readonly facilitator: string | OpenFacilitator
  /** `sqlite:<file>`, which only one machine can use, or `postgres://…` with the package `pg`. */
  readonly store: string
  /** Default: no payment channels are sold. They need a facilitator of your own. */
  readonly channels?: SoldChannels
  /** The public address of the server, without a path; default: what each request was sent to. Behind a proxy, set it. */
  readonly baseUrl?: string
  /** How catalogues and wallets name the seller; default the host. */
  readonly title?: string
  /** Private key that signs offers and receipts; default: they are not signed. */
  readonly offerKey?: Hex
  /** Addresses or CIDR blocks of proxies whose `X-Forwarded-For` is trusted; default none. */
  readonly trustedProxies?: readonly string[]
  /** Unpaid requests of a client address, and of a wallet, in a minute; default 600. */
  readonly unpaidPerMinute?: number
  /** Default: warnings and errors, to the standard error output. */
  readonly logger?: Logger
  /** Overrides of the limits that protect the seller. */
  readonly limits?: Partial<GateLimits>
}

/** @throws TypeError that names the option and says what to write. */
export function checkOptions(options: SellerOptions): Network {
  const { payTo, rpcUrl, facilitator, store, baseUrl } = options
  if (!/^0x[0-9a-fA-F]{40}$/.test(payTo ?? ''))
    throw new TypeError(`payTo: the address of the wallet that is paid, 0x and 40 hex digits, not ${payTo}`)
  if (rpcUrl === undefined || !/^https?:/.test(rpcUrl) || !URL.canParse(rpcUrl))
    throw new TypeError(
      'rpcUrl: an http(s) RPC of the network, since the chain decides what became of a payment; for a local chain the rpcUrl of startDevChain() in @tollbook/devchain',
    )
  if (typeof facilitator !== 'function' && !(typeof facilitator === 'string' && URL.canParse(facilitator)))
    throw new TypeError(
      'facilitator: the URL of an x402 facilitator, or ownFacilitator({ key }) of @tollbook/facilitator',
    )
  if (!/^(sqlite:|postgres(ql)?:\/\/)/.test(store ?? ''))
    throw new TypeError("store: 'sqlite:gate.sqlite', or 'postgres://…'")
  if (baseUrl !== undefined && (!URL.canParse(baseUrl) || new URL(baseUrl).origin !== baseUrl))
    throw new TypeError(`baseUrl: scheme and host, such as 'https://api.example', not ${baseUrl}`)
  return toNetwork(options.network)
}

function toNetwork(network: string | Network): Network {
  if (typeof network === 'object') return network
  const found = findNetwork(network)
  if (!found)
    throw new TypeError(`network: ${network} is not known; pass a Network of @tollbook/chain/network`)
  return found
}
