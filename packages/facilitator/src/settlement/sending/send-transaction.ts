import { setTimeout as delay } from 'node:timers/promises'
import type { Hex } from '@tollbook/chain/hex'
import type { ContractCall } from '@tollbook/chain/multicall'
import type { SignedTransaction } from '@tollbook/chain/sign-transaction'
import type { SendOrder } from '@tollbook/gate/facilitator'
import { readReceipt, type TransactionReceipt } from '@tollbook/gate/reading/chain'
import type { FeeSource, Fees } from '../chain/fees.ts'
import type { MinedSettlement } from '../options.ts'
import { broadcast } from './broadcast.ts'
import { paymentName } from './nonce-store.ts'
import type { Wallet } from './wallet.ts'

/** The outcome of one transaction. */
export type Sending =
  | { readonly kind: 'mined'; readonly receipt: TransactionReceipt }
  /** Nothing that anyone could mine has left this process. */
  | { readonly kind: 'not-sent'; readonly reason: string }
  /** The `beforeSend` of these orders threw, so nothing was sent for any order. */
  | { readonly kind: 'withheld'; readonly orders: ReadonlySet<SendOrder> }
  | { readonly kind: 'unknown'; readonly transaction: Hex | null; readonly reason: string }

export type Transaction = {
  readonly orders: readonly SendOrder[]
  readonly call: ContractCall
  readonly gas: bigint
}

export type SendOptions = {
  readonly wallet: Wallet
  readonly fees: FeeSource
  readonly settleTimeoutMs: number
  readonly bumpAfterMs: number
  /** Called when a nonce was abandoned, so that it is filled at once. */
  readonly onGap: () => void
  readonly onMined: (mined: MinedSettlement) => void
}

/** A nonce is lost if another process takes over its row, or something outside Tollbook uses the key. */
const MAX_NONCES = 5
/**
 * Receipts are requested after 4 ms (a chain that mines at once), later every half second (blocks of 2 s).
 */
const FIRST_POLL_MS = 4
const MAX_POLL_MS = 500
/** Storing is tried again, since a broken connection is replaced at once; a longer outage is not waited for. */
const MAX_APPROVALS = 3
const APPROVAL_MS = 100
/** A node may have dropped the transaction; sending it again is idempotent. */
const RESEND_MS = 3_000

/**
 * Sends one transaction and waits for its receipt. The nonce is taken in the state store, each order receives
 * the hash, the signed transaction is stored, and then it is sent: whatever happens to this process, the
 * nonce is used in the end, by this transaction or by an empty one.
 */
export async function sendTransaction(transaction: Transaction, options: SendOptions): Promise<Sending> {
  const { wallet } = options
  for (let attempt = 1; attempt <= MAX_NONCES; attempt++) {
    let fees: Fees
    let nonce: number
    try {
      fees = await options.fees.current()
      nonce = await wallet.nonces.take(wallet.minedCount())
    } catch (error) {
      return { kind: 'not-sent', reason: nameOf(error) }
    }
    wallet.active.add(nonce)
    try {
      const sending = await sendUnderNonce(transaction, { nonce, fees }, options)
      if (sending !== 'nonce-lost') return sending
      await wallet.refreshCount()
    } catch (error) {
      return { kind: 'not-sent', reason: nameOf(error) }
    } finally {
      wallet.active.delete(nonce)
    }
  }
  return { kind: 'not-sent', reason: 'no_account_nonce' }
}

type Place = { readonly nonce: number; readonly fees: Fees }

async function sendUnderNonce(
  transaction: Transaction,
  place: Place,
  options: SendOptions,
): Promise<Sending | 'nonce-lost'> {
  const { nonces } = options.wallet
  const signed = await signFor(transaction, place, options)
  const { refusing, until } = await notifyOrders(transaction.orders, signed.hash)
  if (refusing.size > 0) {
    await nonces.abandon(place.nonce)
    options.onGap()
    return { kind: 'withheld', orders: refusing }
  }
  const payments = transaction.orders.map(({ payment }) => paymentName(payment))
  for (let attempt = 1; ; attempt += 1) {
    const isApproved = await nonces.approve(place.nonce, signed.raw, payments, until).catch(() => null)
    if (isApproved) break
    if (isApproved === false && attempt === 1) return 'nonce-lost'
    // The store may have accepted it nevertheless, and then it will be sent.
    if (isApproved === false || attempt === MAX_APPROVALS)
      return { kind: 'unknown', transaction: signed.hash, reason: 'state_unavailable' }
    await delay(APPROVAL_MS * attempt)
  }
  return sendUntilMined(transaction, { ...place, signed }, options)
}

async function sendUntilMined(
  transaction: Transaction,
  first: Place & { readonly signed: SignedTransaction },
  options: SendOptions,
): Promise<Sending | 'nonce-lost'> {
  const { wallet, settleTimeoutMs, bumpAfterMs } = options
  const started = performance.now()
  const hashes = [first.signed.hash]
  let current = first
  let sentAt = started
  let result = await broadcast(wallet.chain, current.signed.raw)
  // Later, the nonce may have been used by this transaction, whose receipt a node that lags lacks.
  const wasUsed = result === 'nonce-used'
  let resentAt = performance.now()
  for (let wait = FIRST_POLL_MS; ; wait = Math.min(wait * 1.6, MAX_POLL_MS)) {
    const receipt = await findReceipt(wallet, hashes)
    if (receipt) {
      wallet.sawMined(first.nonce)
      options.onMined({
        payments: transaction.orders.map(({ payment }) => payment),
        gasUsed: BigInt(receipt.gasUsed),
        tookMs: performance.now() - started,
        hasReverted: receipt.status !== '0x1',
      })
      return { kind: 'mined', receipt }
    }
    if (wasUsed && hashes.length === 1 && (await isForeign(wallet, first))) return 'nonce-lost'
    const now = performance.now()
    if (now - started > settleTimeoutMs)
      return { kind: 'unknown', transaction: current.signed.hash, reason: `no_receipt_${result}` }
    await delay(wait)
    if (result === 'underpriced' || now - sentAt > bumpAfterMs) {
      sentAt = now
      const raised = await raise(transaction, current, options)
      if (raised) {
        current = raised
        hashes.push(raised.signed.hash)
        result = await broadcast(wallet.chain, raised.signed.raw)
        resentAt = performance.now()
      } else if (result === 'underpriced') result = 'refused'
    } else if (now - resentAt > RESEND_MS || result === 'unreachable') {
      result = await broadcast(wallet.chain, current.signed.raw)
      resentAt = now
    }
  }
}

/**
 * Signs the transaction again with a higher fee under the same nonce; null if that is not allowed or not
 * possible.
 */
async function raise(
  transaction: Transaction,
  current: Place,
  options: SendOptions,
): Promise<(Place & { readonly signed: SignedTransaction }) | null> {
  try {
    const fees = await options.fees.raised(current.fees)
    if (!fees) return null
    const place = { nonce: current.nonce, fees }
    const signed = await signFor(transaction, place, options)
    if ((await notifyOrders(transaction.orders, signed.hash)).refusing.size > 0) return null
    if (!(await options.wallet.nonces.replace(place.nonce, signed.raw))) return null
    return { ...place, signed }
  } catch {
    // The first transaction stays in effect.
    return null
  }
}

function signFor({ call, gas }: Transaction, { nonce, fees }: Place, { wallet }: SendOptions) {
  return wallet.signer.signTransaction(wallet.chain.access.network.chainId, { nonce, call, gas, fees })
}

/** Which orders refuse the transaction, and until when the others let it be stored. */
async function notifyOrders(
  orders: readonly SendOrder[],
  hash: Hex,
): Promise<{ readonly refusing: ReadonlySet<SendOrder>; readonly until: number | undefined }> {
  const notified = await Promise.allSettled(orders.map(async (order) => order.beforeSend(hash)))
  const refusing = new Set(orders.filter((_, at) => notified[at]?.status === 'rejected'))
  const ends = notified.map((each) => (each.status === 'fulfilled' && each.value) || Number.POSITIVE_INFINITY)
  const until = Math.min(...ends)
  return { refusing, until: Number.isFinite(until) ? until : undefined }
}

async function findReceipt(wallet: Wallet, hashes: readonly Hex[]): Promise<TransactionReceipt | null> {
  try {
    const receipts = await Promise.all(hashes.map((hash) => readReceipt(wallet.chain, hash)))
    return receipts.find((receipt) => receipt !== null) ?? null
  } catch {
    // Retried until the timeout.
    return null
  }
}

/** Whether the chain counts the nonce as used although it has no transaction of ours under it. */
async function isForeign(
  wallet: Wallet,
  { nonce, signed }: Place & { signed: SignedTransaction },
): Promise<boolean> {
  try {
    const count = await wallet.refreshCount()
    return count > nonce && (await readReceipt(wallet.chain, signed.hash)) === null
  } catch {
    return false
  }
}

/** A short name for logs and reasons; messages may contain secrets. */
function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'unknown'
}
