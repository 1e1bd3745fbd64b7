import type { Logger } from 'pino'
import type { Address } from '../../catalogue/endpoint.ts'
import type { State } from '../../state/state.ts'
import type { Hex } from '../payment.ts'

/** How the chain is read. */
export type ChainAccess = {
  /** `http(s)://…`; a user and password in it are sent as basic authentication. Never logged. */
  readonly rpcUrl: string
  readonly chainId: number
  /** The USDC contract. */
  readonly asset: Address
  /** Which head counts as final: `finalized`, or `latest` on a chain of our own that never reorganises. */
  readonly finalTag: 'finalized' | 'latest'
  /** Longest wait for one answer of the RPC in milliseconds; default 10,000. */
  readonly timeoutMs?: number
}

export type InProcessOptions = {
  readonly kind: 'in-process'
  readonly chain: ChainAccess
  /** Private key of the wallet that sends settlements, 32 bytes. Several processes may share it through `state`. */
  readonly key: Hex
  readonly state: State
  readonly logger: Logger
  /** Longest time that settle() waits for a receipt before it answers `unknown`; default 30,000 ms. */
  readonly settleTimeoutMs?: number
  /** A transaction without receipt for so long is sent again with a higher fee; default 6,000 ms. */
  readonly bumpAfterMs?: number
  /** Never pay more for a unit of gas, in wei; default 20 gwei. */
  readonly mostFeePerGas?: bigint
  /** health() is false when the gas balance pays for fewer settlements; default 20. */
  readonly fewestSettlements?: number
  /** Most `exact` payments that settle in one transaction (1 to 150); default 100. */
  readonly batchSize?: number
  /** A nonce that a process took and did not use for so long is taken over by another; default 10,000 ms. */
  readonly leaseMs?: number
  /** Factories that may deploy a payer's wallet in the settlement (ERC-6492); default none. */
  readonly allowedFactories?: readonly Address[]
  /** Dollars for an ETH, whole; default 0: gas costs nothing, as on the dev chain. */
  readonly ethUsd?: number
}

export type RemoteOptions = {
  readonly kind: 'remote'
  /** Base URL of the facilitator, under which `/supported`, `/verify` and `/settle` stand. */
  readonly url: string
  /** CAIP-2 network whose payments it is given. */
  readonly network: `eip155:${number}`
  readonly logger: Logger
  /** Longest wait for `/verify` and `/supported`; default 10,000 ms. */
  readonly timeoutMs?: number
  /** Longest wait for `/settle`, after which the outcome is unknown; default 60,000 ms. */
  readonly settleTimeoutMs?: number
}

export type FacilitatorOptions = InProcessOptions | RemoteOptions
