import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { Address, Hex } from '@tollbook/chain/hex'
import type { Network } from '@tollbook/chain/network'
import { parseJson } from '@tollbook/flow/parse-json'
import { askFacilitator } from '@tollbook/gate/remote/ask-facilitator'
import { hashOf, reasonOf, settleAnswer, supportedAnswer } from '@tollbook/gate/remote/remote-answer'
import { toSupported } from '@tollbook/gate/remote/remote-facilitator'
import * as z from 'zod'
import { type Chosen, readOffer } from './offer.ts'
import type { PaidCall } from './pay.ts'
import { signOffer } from './sign.ts'

/** A facilitator that lists the endpoints for which it settles. */
export type ListingFacilitator = {
  /** Without a trailing slash. */
  readonly url: string
  readonly key: string | undefined
  readonly network: Network
  /** The wallet that settles `upto` payments; null if none does. */
  readonly uptoWallet: Address | null
}

export type ListingAnswer = {
  /** Whether money moved; null if that is not known. */
  readonly isSettled: boolean | null
  readonly transaction: Hex | null
  /** Why it was not settled. */
  readonly reason: string | null
  /** What the facilitator reports about the listing; null if nothing. */
  readonly listing: { readonly status: string; readonly rejectedReason?: string | undefined } | null
}

const TIMEOUT_MS = 60_000
/** Times that one payment is sent; a facilitator settles it at most once. */
const TRIES = 5
const PAUSE_MS = 500

const listingShape = z.object({
  bazaar: z.looseObject({ status: z.string(), rejectedReason: z.string().optional().catch(undefined) }),
})

/** @throws Error if it does not settle payments on the network. */
export async function openListingFacilitator(
  { url, key, network }: Pick<ListingFacilitator, 'url' | 'key' | 'network'>,
  signal: AbortSignal,
): Promise<ListingFacilitator> {
  const { status, body } = await askFacilitator(`${url}/supported`, null, {
    timeoutMs: TIMEOUT_MS,
    signal,
    key,
  })
  const read = supportedAnswer.safeParse(body)
  if (status !== 200 || !read.success) throw new Error(`${url}/supported answered ${status}`)
  const { exact, facilitatorAddress } = toSupported(read.data, network.id)
  if (!exact) throw new Error(`${url} does not settle exact payments on ${network.title}`)
  return { url, key, network, uptoWallet: facilitatorAddress }
}

/** What the 402 of an endpoint offers that the facilitator can settle, or why there is nothing; null if it is not sold now. */
export async function readEndpointOffer(
  { method, url }: { readonly method: string; readonly url: string },
  { uptoWallet, network }: ListingFacilitator,
  { max, signal }: Pick<PaidCall, 'max' | 'signal'>,
): Promise<Chosen | string | null> {
  const either = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)])
  const response = await fetch(url, { method, redirect: 'manual', signal: either }).catch(() => null)
  signal.throwIfAborted()
  if (!response) return 'the service does not answer'
  await response.body?.cancel()
  if (response.status === 503) return null
  const header = response.headers.get('payment-required')
  if (response.status !== 402 || !header)
    return `an unpaid call is answered ${response.status}, without an offer`
  const chosen = readOffer(header, { max, network })
  if (typeof chosen === 'string') return chosen
  if (!URL.canParse(chosen.required.resource?.url ?? '')) return 'its 402 has no resource URL'
  if (!chosen.required.extensions?.bazaar) return 'its 402 has no bazaar extension, which catalogues need'
  if (chosen.offer.scheme === 'exact') return chosen
  if (!uptoWallet) return 'the facilitator does not settle upto payments'
  // The seller's terms name the wallet of its own facilitator.
  const extra = { ...chosen.terms.extra, facilitatorAddress: uptoWallet }
  return { ...chosen, terms: { ...chosen.terms, extra } }
}

/**
 * Signs a payment and has the facilitator settle it. The seller never gets it, so it buys no call.
 * @throws the signal's reason.
 */
export async function settleForListing(
  { url, key, network }: ListingFacilitator,
  chosen: Chosen,
  { signal, ...wallet }: Pick<PaidCall, 'key' | 'rpcUrl' | 'signal'>,
): Promise<ListingAnswer> {
  const paymentPayload = await signOffer({ ...wallet, network }, chosen).catch(() => null)
  if (!paymentPayload)
    return { isSettled: false, transaction: null, reason: 'the payment could not be signed', listing: null }
  const body = JSON.stringify({ x402Version: 2, paymentPayload, paymentRequirements: chosen.terms })
  const idempotencyKey = randomUUID()
  for (let tried = 1; ; tried++) {
    const answer = await settleOnce()
    if (answer.isSettled !== null || tried === TRIES) return answer
    await wait(tried * PAUSE_MS, undefined, { signal })
  }

  async function settleOnce(): Promise<ListingAnswer> {
    const open = { isSettled: null, transaction: null, listing: null }
    try {
      const options = { timeoutMs: TIMEOUT_MS, signal, key, idempotencyKey }
      const { status, body: answered, headers } = await askFacilitator(`${url}/settle`, body, options)
      const { data } = settleAnswer.safeParse(answered)
      if (!data)
        return {
          ...open,
          isSettled: status < 500 && status !== 429 ? false : null,
          reason: `status ${status}`,
        }
      const transaction = hashOf(data.transaction)
      if (data.success) return { isSettled: true, transaction, reason: null, listing: readListing(headers) }
      const reason = reasonOf(data.errorReason)
      const isOpen = reason === 'settlement_pending' || status >= 500 || status === 429
      return { ...open, isSettled: isOpen ? null : false, transaction, reason }
    } catch (error) {
      signal.throwIfAborted()
      return { ...open, reason: error instanceof Error ? error.message : 'no answer' }
    }
  }
}

/** What `EXTENSION-RESPONSES` reports: base64 of JSON. */
function readListing(headers: Headers): ListingAnswer['listing'] {
  const json = parseJson(Buffer.from(headers.get('extension-responses') ?? '', 'base64'))
  return listingShape.safeParse(json).data?.bazaar ?? null
}
