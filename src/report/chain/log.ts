import { type Hex, toAddress, toQuantity, toUint256, toWord } from '../../chain/hex.ts'
import { InvalidAnswer } from '../../fetching/failure.ts'
import type { AtomicUsdc } from '../../money/usdc.ts'
import { type PaymentContracts, TOPIC } from './contracts.ts'

/** The payment-related content of a log. Wallets are 32-byte words, as in the topics. */
export type Log = {
  /** Index in its block. */
  readonly logIndex: number
} & (
  | { readonly kind: 'authorization used'; readonly payer: Hex }
  | { readonly kind: 'transfer'; readonly payer: Hex; readonly payee: Hex; readonly amount: AtomicUsdc }
  | { readonly kind: 'transfer of another token' | 'settlement' | 'other' }
)

/** Decodes a log. @throws InvalidAnswer if malformed. */
export function decodeLog(value: unknown, { usdc, proxies }: PaymentContracts): Log {
  const raw = Object(value) as Readonly<Record<string, unknown>>
  if (!Array.isArray(raw.topics)) throw new InvalidAnswer('the chain RPC returned a malformed log')
  const topics = raw.topics as readonly unknown[]
  const logIndex = toQuantity(raw.logIndex, 'log')
  const address = raw.address === usdc ? usdc : toAddress(raw.address, 'log')
  const event = topics.length === 0 ? null : toEvent(topics[0])
  if (event === TOPIC.transfer && topics.length === 3) {
    if (address !== usdc) return { logIndex, kind: 'transfer of another token' }
    const payer = toWord(topics[1], 'log')
    const payee = toWord(topics[2], 'log')
    return { logIndex, kind: 'transfer', payer, payee, amount: toUint256(raw.data, 'log') }
  }
  if (event === TOPIC.authorizationUsed && address === usdc)
    return { logIndex, kind: 'authorization used', payer: toWord(topics[1], 'log') }
  const isSettlement = event === TOPIC.settled || event === TOPIC.settledWithPermit
  return { logIndex, kind: isSettlement && proxies.has(address) ? 'settlement' : 'other' }
}

/** The two topics of nearly every payment skip the digit-by-digit check. */
function toEvent(topic: unknown): Hex {
  if (topic === TOPIC.transfer) return TOPIC.transfer
  if (topic === TOPIC.authorizationUsed) return TOPIC.authorizationUsed
  return toWord(topic, 'log')
}
