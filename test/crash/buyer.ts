import { setTimeout as wait } from 'node:timers/promises'
import type { Random } from '@tollbook/devchain/demo-week/random'
import { STREAMED } from './goods.ts'
import { isWhole, type Outcome, type Purchase, present } from './purchase.ts'
import type { Sellers } from './sellers.ts'

/** How often buyers disconnect or repeat: shares of their attempts. */
const TWICE_SHARE = 0.12
const LEAVING_SHARE = 0.06
/** Share of the calls cut by a kill whose buyer returns only at the end. */
const PATIENT_SHARE = 0.15
const RETRY_MS = { min: 20, max: 120 }
/**
 * A call without an answer by then hangs; the limit is far above every wait of a seller, even on a busy
 * machine.
 */
const MAX_MS = 600_000

/** How long a caller repeats a request for a stream at a fixed price whose transaction was never sent. */
const MAX_DOUBT_MS = 8_000

/** Errors after which the same payment is sent again. */
const ASK_AGAIN = new Set(['payment_in_flight', 'settlement_unknown', 'unavailable'])

/**
 * Errors that end a call, which must then be uncharged: too many of its runs were killed, or its caller
 * returned after the authorization had expired.
 */
const FINAL_REFUSALS = new Set(['payment_spent', 'payment_expired'])

export type Buyer = {
  readonly sellers: Sellers
  readonly random: Random
  /** Whether calls that a kill has cut may be postponed. */
  readonly mayPutOff: boolean
  /**
   * Whether it stays unknown for good if a call was charged: its transaction was stored and never reached the
   * chain.
   */
  readonly isNeverSent: (purchase: Purchase) => Promise<boolean>
}

/**
 * Sends a call's payment until it is answered or finally refused.
 * @returns `put-off` if the buyer returns later, or if a stream's settlement stays unknown.
 * @throws Error if an answer cannot be explained by a crash, or none arrived.
 */
export async function complete(purchase: Purchase, buyer: Buyer): Promise<'done' | 'put-off'> {
  const { sellers, random, mayPutOff } = buyer
  const untilMs = performance.now() + MAX_MS
  let doubtSinceMs = performance.now()
  for (;;) {
    const outcomes = await attempt(purchase, sellers, random)
    purchase.outcomes.push(...outcomes)
    if (conclude(purchase, outcomes)) return 'done'
    if (performance.now() > untilMs) throw new Error('no final answer')
    if (outcomes.some((outcome) => !isDoubt(outcome))) doubtSinceMs = performance.now()
    const isDoubted = purchase.good === 'radio' && performance.now() - doubtSinceMs > MAX_DOUBT_MS
    if (isDoubted && (await buyer.isNeverSent(purchase))) return 'put-off'
    const isCut = purchase.deaths.length > 0 && outcomes.some(({ kind }) => kind === 'broken')
    if (mayPutOff && isCut && random() < PATIENT_SHARE) return 'put-off'
    await wait(RETRY_MS.min + random() * (RETRY_MS.max - RETRY_MS.min))
  }
}

/** Sends a call's payment to one seller until it is answered or finally refused. */
export async function insist(sellerUrl: string, purchase: Purchase): Promise<void> {
  const untilMs = performance.now() + MAX_MS
  for (;;) {
    const outcome = await present(sellerUrl, purchase)
    purchase.outcomes.push(outcome)
    if (conclude(purchase, [outcome])) return
    if (performance.now() > untilMs) throw new Error('no final answer')
    await wait(RETRY_MS.min)
  }
}

async function attempt(purchase: Purchase, sellers: Sellers, random: Random): Promise<Outcome[]> {
  const chance = random()
  // A caller that disconnects from a stream charged by the piece pays for what was delivered; any other
  // stream is delivered again.
  const isFirst = purchase.outcomes.length === 0
  const mayLeave = purchase.good === 'radio' ? isFirst : !STREAMED.has(purchase.good)
  if (chance < TWICE_SHARE) {
    const urls = [await sellers.choose(random), await sellers.choose(random)]
    return Promise.all(urls.map((url) => present(url, purchase)))
  }
  const url = await sellers.choose(random)
  if (!mayLeave || chance > TWICE_SHARE + LEAVING_SHARE) return [await present(url, purchase)]
  const leaving = new AbortController()
  const timer = setTimeout(() => leaving.abort(), random() * 100)
  const outcome = await present(url, purchase, leaving.signal)
  clearTimeout(timer)
  return [outcome]
}

function isDoubt(outcome: Outcome): boolean {
  if (outcome.kind !== 'refused') return false
  return outcome.code === 'settlement_unknown' || outcome.code === 'payment_in_flight'
}

/** Whether the call is finished. */
function conclude(purchase: Purchase, outcomes: readonly Outcome[]): boolean {
  for (const outcome of outcomes) {
    if (outcome.kind === 'answered') purchase.answer ??= outcome
    if (outcome.kind !== 'refused' || ASK_AGAIN.has(outcome.code)) continue
    if (!FINAL_REFUSALS.has(outcome.code)) throw new Error(`answered ${outcome.status} ${outcome.code}`)
    purchase.refusal = outcome.code
  }
  if (purchase.answer) return true
  if (purchase.refusal === null) return false
  // A stream may have lost nothing but its end.
  const whole = purchase.outcomes.find((outcome) => 'text' in outcome && isWhole(purchase, outcome.text))
  if (whole && 'text' in whole) purchase.answer = { kind: 'answered', text: whole.text, receipt: null }
  return true
}
