import type { Hex } from '@tollbook/chain/hex'
import { EVIDENCE, type Payment } from '@tollbook/verify/chain/payment'

export type SyntheticWeek = {
  /** Total number of payments. */
  readonly payments: number
  /** The window, in epoch seconds. */
  readonly start: number
  readonly end: number
}

const MERCHANTS = 20_000
const BUYERS = 500_000
/** A buyer pays at most this many merchants, as is typical of API callers. */
const MERCHANTS_PER_BUYER = 8
/** Prices in micro-USDC, as listings show them: mostly up to a cent. */
const PRICES = [1_000, 2_000, 2_237, 5_000, 10_000, 10_000, 20_000, 100_000] as const
const BLOCKS = 302_400

/**
 * Payments of one week in chain order, with Zipf-like wallets: about 20,000 merchants, 500,000 buyers and a
 * million pairs. The same size produces the same payments.
 */
export function* syntheticPayments({ payments, start, end }: SyntheticWeek, batch: number) {
  const random = createRandom(0x70_6c_6c_62)
  const merchants = Array.from({ length: MERCHANTS }, (_, at) => toAddress(at + 1, 0x9e3779b1))
  const buyers = Array.from({ length: BUYERS }, (_, at) => toAddress(at + 1, 0x85ebca6b))
  const facilitators = Array.from({ length: 20 }, (_, at) => toAddress(at + 1, 0xc2b2ae35))
  const evidence = EVIDENCE.authorizationUsed | EVIDENCE.knownFacilitator
  const toHash = createHashes()
  let rows: Payment[] = []
  for (let at = 0; at < payments; at++) {
    const buyer = Math.min(BUYERS - 1, Math.floor(BUYERS ** Math.sqrt(random())))
    const choice = Math.floor(MERCHANTS_PER_BUYER ** random())
    const merchant = Math.floor(MERCHANTS ** toFraction(buyer * MERCHANTS_PER_BUYER + choice))
    const price = PRICES[merchant % PRICES.length] ?? 1_000
    rows.push({
      blockNumber: 30_000_000 + Math.floor((at * BLOCKS) / payments),
      logIndex: (at % 500) * 2 + 1,
      timestamp: start + Math.floor((at * (end - start)) / payments),
      transaction: toHash(at),
      buyer: pick(buyers, buyer),
      merchant: pick(merchants, merchant),
      // Four in five at the listed price, the others metered.
      amount: BigInt(random() < 0.8 ? price : 1 + Math.floor(random() * 50_000)),
      facilitator: pick(facilitators, at % facilitators.length),
      evidence,
    })
    if (rows.length === batch || at === payments - 1) {
      yield rows
      rows = []
    }
  }
}

/** xorshift32: fast, and the same on every machine. Numbers in [0, 1). */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
}

/** A fixed number in [0, 1) for each integer. */
function toFraction(number: number): number {
  let mixed = Math.imul(number ^ (number >>> 16), 0x7feb352d)
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x846ca68b)
  return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32
}

function toAddress(number: number, factor: number): Hex {
  const words = [1, 2, 3, 4, 5].map((word) => Math.imul(number * word, factor) >>> 0)
  // Made from bytes, so that it is one flat string, as addresses parsed from JSON are.
  const bytes = Buffer.from(new Uint32Array(words).buffer)
  return Buffer.from(`0x${bytes.toString('hex')}`).toString('latin1') as Hex
}

function createHashes(): (number: number) => Hex {
  const text = Buffer.from(`0x${'5eed'.repeat(16)}`)
  return (number) => {
    text.write(number.toString(16).padStart(8, '0'), 10, 'latin1')
    text.write((Math.imul(number, 0x9e3779b1) >>> 0).toString(16).padStart(8, '0'), 30, 'latin1')
    return text.toString('latin1') as Hex
  }
}

function pick<T>(list: readonly T[], at: number): T {
  const item = list[at % list.length]
  if (item === undefined) throw new RangeError('an empty list has nothing to pick')
  return item
}
