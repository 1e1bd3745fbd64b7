import type { Network } from '@tollbook/chain/network'

/** How the chain is read. */
export type ChainAccess = {
  /** `http(s)://…`; a user and password in it are sent as basic authentication. Never logged. */
  readonly rpcUrl: string
  readonly network: Network
  /** Which head counts as final: `finalized`, or `latest` on a private chain that never reorganises. */
  readonly finalTag: 'finalized' | 'latest'
  /** Maximum wait for one answer of the RPC, milliseconds; default 10,000. */
  readonly timeoutMs?: number
}
