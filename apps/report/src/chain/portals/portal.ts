import type { Hex } from '@tollbook/chain/hex'
import { createPosting } from '@tollbook/chain/rpc/exchange'
import { retryRead } from '@tollbook/chain/rpc/retry-read'
import { InvalidAnswer } from '@tollbook/flow/failure'
import type { Announcing } from '@tollbook/verify/chain/contracts'
import type { BlockRange } from '@tollbook/verify/chain/pieces'

/** A receipt in the form of `eth_getTransactionReceipt`, as far as `decodeReceipt` reads it. */
export type PortalReceipt = {
  readonly transactionHash: unknown
  readonly blockHash: unknown
  readonly blockNumber: unknown
  readonly from: unknown
  readonly logs: readonly unknown[]
}

/** Receipts of the first blocks of a range. */
export type PortalPage = {
  readonly receipts: readonly PortalReceipt[]
  /** The first block that is not included. */
  readonly nextBlock: number
}

/** A service that returns many transactions with their logs in one answer. */
export interface Portal {
  /** Such as `HyperSync`: never a URL, which may contain a key. */
  readonly name: string
  /**
   * Whole transactions in which one of the events occurred, as far as one answer reaches.
   * @throws RateLimited, Unreachable or InvalidAnswer; the signal's reason.
   */
  readPage(range: BlockRange & { readonly announcing: Announcing }, signal: AbortSignal): Promise<PortalPage>
}

export type PortalAccess = {
  /** http or https; user and password become basic authentication. */
  readonly url: string
  /** Sent as a bearer token. */
  readonly token?: string | undefined
  /** For one attempt. Default 60,000: one answer can have several megabytes. */
  readonly timeoutMs?: number
}

const ATTEMPTS = 4

/** Creates a function that posts a query, with retries, and returns the answer's text; empty without data. */
export function createPortalPost(name: string, { url, token, timeoutMs = 60_000 }: PortalAccess) {
  const post = createPosting({ url, token, timeoutMs, name })
  const parse = (text: string, status: number) => {
    if (status === 204) return ''
    if (status !== 200) throw new InvalidAnswer(`${name} refused the query (HTTP status ${status})`)
    return text
  }
  return (query: object, signal: AbortSignal): Promise<string> =>
    retryRead(() => post(JSON.stringify(query), parse, signal), { attempts: ATTEMPTS, signal })
}

/** Events by the contracts that emit them: each pair of lists is one filter. */
export function toFilters(announcing: Announcing): readonly { addresses: string[]; topics: Hex[] }[] {
  const filters = new Map<string, { addresses: string[]; topics: Hex[] }>()
  for (const [topic, contracts] of announcing) {
    const addresses = [...contracts]
    const filter = filters.get(addresses.join()) ?? { addresses, topics: [] }
    filter.topics.push(topic)
    filters.set(addresses.join(), filter)
  }
  return [...filters.values()]
}
