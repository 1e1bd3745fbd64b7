import {
  type Address,
  type Hex,
  parseAddress,
  parseQuantity,
  parseUint256,
  parseWord,
} from '@tollbook/chain/hex'
import { TOPIC } from '@tollbook/chain/topics'
import type { AtomicUsdc } from '@tollbook/chain/usdc'
import { InvalidAnswer } from '@tollbook/flow/failure'
import type { PaymentContracts } from './contracts.ts'

/** The payment-related content of a log. Wallets are 32-byte words, as in the topics. */
export type Log = {
  /** Index in its block. */
  readonly logIndex: number
} & (
  | { readonly kind: 'authorization used'; readonly payer: Hex }
  | { readonly kind: 'transfer'; readonly payer: Hex; readonly payee: Hex; readonly amount: AtomicUsdc }
  | EscrowPayment
  | { readonly kind: 'transfer of another token' | 'settlement' | 'other' }
)

/** Money in escrow that became the receiver's: a claim from a channel, or a capture of an authorization. */
export type EscrowPayment = {
  readonly kind: 'claim' | 'capture'
  readonly escrow: Address
  /** `channelId` or `paymentInfoHash`: the hash of the terms, which name payer, receiver and token. */
  readonly id: Hex
  /** What the receiver gets: net of the fee of a capture. In atomic units of a token that only the terms name. */
  readonly amount: bigint
  /** Of a capture; absent: none. */
  readonly fee?: bigint
}

const DIGITS_PER_WORD = 64
const BASIS_POINTS = 10_000n

/** Decodes a log. @throws InvalidAnswer if malformed. */
export function decodeLog(value: unknown, contracts: PaymentContracts): Log {
  const { usdc, proxies } = contracts
  const raw = Object(value) as Readonly<Record<string, unknown>>
  if (!Array.isArray(raw.topics)) throw new InvalidAnswer('the chain RPC returned a malformed log')
  const topics = raw.topics as readonly unknown[]
  const logIndex = parseQuantity(raw.logIndex, 'log')
  const address = raw.address === usdc ? usdc : parseAddress(raw.address, 'log')
  const event = topics.length === 0 ? null : toEvent(topics[0])
  if (event === TOPIC.transfer && topics.length === 3) {
    if (address !== usdc) return { logIndex, kind: 'transfer of another token' }
    const payer = parseWord(topics[1], 'log')
    const payee = parseWord(topics[2], 'log')
    return { logIndex, kind: 'transfer', payer, payee, amount: parseUint256(raw.data, 'log') }
  }
  if (event === TOPIC.authorizationUsed && address === usdc)
    return { logIndex, kind: 'authorization used', payer: parseWord(topics[1], 'log') }
  const isSettlement = event === TOPIC.settled || event === TOPIC.settledWithPermit
  if (isSettlement && proxies.has(address)) return { logIndex, kind: 'settlement' }
  if (event === TOPIC.claimed && address === contracts.channelEscrow) {
    const [amount] = toWords(raw.data, 2)
    return { logIndex, kind: 'claim', escrow: address, id: parseWord(topics[1], 'log'), amount: amount ?? 0n }
  }
  const isCharge = event === TOPIC.charged
  if ((isCharge || event === TOPIC.captured) && contracts.captureEscrows.has(address)) {
    // Amount and fee come first in a capture, and after the twelve words of the terms in a charge.
    const [amount = 0n, fee = 0n] = isCharge
      ? pick(toWords(raw.data, 16), [12, 14])
      : pick(toWords(raw.data, 3), [0, 1])
    const retained = (amount * fee) / BASIS_POINTS
    return {
      logIndex,
      kind: 'capture',
      escrow: address,
      id: parseWord(topics[1], 'log'),
      amount: amount - retained,
      ...(retained > 0n && { fee: retained }),
    }
  }
  return { logIndex, kind: 'other' }
}

/** The two topics of nearly every payment skip the digit-by-digit check. */
function toEvent(topic: unknown): Hex {
  if (topic === TOPIC.transfer) return TOPIC.transfer
  if (topic === TOPIC.authorizationUsed) return TOPIC.authorizationUsed
  return parseWord(topic, 'log')
}

function toWords(data: unknown, count: number): readonly bigint[] {
  if (typeof data !== 'string' || data.length !== 2 + count * DIGITS_PER_WORD)
    throw new InvalidAnswer('the chain RPC returned a malformed log')
  return Array.from({ length: count }, (_, at) => {
    const start = 2 + at * DIGITS_PER_WORD
    return parseUint256(`0x${data.slice(start, start + DIGITS_PER_WORD)}`, 'log')
  })
}

function pick(words: readonly bigint[], places: readonly number[]): readonly (bigint | undefined)[] {
  return places.map((place) => words[place])
}
