import type { Random } from '@tollbook/devchain/demo-week/random'
import type { PaymentRequired } from '@tollbook/gate/challenge/payment-required'
import { openProtocol, type SigningProtocol } from '@tollbook/testing/payments/protocols'
import { type Payer, signPayment } from '@tollbook/testing/payments/sign-payment'
import { decodePaymentRequiredHeader } from '@x402/core/http'
import { type Hex, keccak256, toHex } from 'viem'
import { GOODS, type GoodName, LETTER_MICRO_USDC, MIN_MICRO_USDC, PIECE_MICRO_USDC } from './goods.ts'
import type { Purchase } from './purchase.ts'

/** How often each of the goods is bought, out of a hundred calls. */
const SHARES = {
  quick: 30,
  slow: 15,
  own: 10,
  large: 4,
  spell: 15,
  radio: 13,
  dictation: 13,
} as const satisfies Record<GoodName, number>
/** Most calls carry an identifier, which lets their payer read a wallet's answer again. */
const NAMED_SHARE = 0.8
/** Of the calls at a fixed price, by the protocol that pays them; version 2 of x402 pays the others. */
const PROTOCOL_SHARES = { 'x402 version 1': 0.25, MPP: 0.25 } as const

export type Challenges = ReadonlyMap<GoodName, PaymentRequired>

/** Requests all prices from a seller. */
export async function readChallenges(sellerUrl: string): Promise<Challenges> {
  const names = Object.keys(GOODS) as GoodName[]
  const challenges = names.map(async (name) => {
    const response = await fetch(`${sellerUrl}${GOODS[name].path}`)
    await response.arrayBuffer()
    const header = response.headers.get('payment-required') ?? ''
    return [name, decodePaymentRequiredHeader(header) as unknown as PaymentRequired] as const
  })
  return new Map(await Promise.all(challenges))
}

/** Chooses what to buy and signs for it. */
export async function makeWish(
  wisher: {
    readonly payer: Payer
    readonly challenges: Challenges
    readonly random: Random
    /** The URL of a seller. */
    readonly seller: () => Promise<string>
  },
  id: string,
): Promise<Purchase> {
  const { payer, challenges, random } = wisher
  const good = chooseGood(random)
  const isNamed = good === 'own' || random() < NAMED_SHARE
  const order = chooseOrder(good, random)
  const protocol = METERED.has(good)
    ? null
    : await chooseProtocol(random, async () => `${await wisher.seller()}${GOODS[good].path}`)
  return sign({ payer, challenges, id, isNamed, ...(protocol && { protocol }) }, order)
}

const METERED: ReadonlySet<GoodName> = new Set(['spell', 'dictation'])

/** Null for version 2, which also pays if the seller dies while its challenge is read. */
async function chooseProtocol(random: Random, url: () => Promise<string>): Promise<SigningProtocol | null> {
  const chance = random()
  const { MPP, 'x402 version 1': first } = PROTOCOL_SHARES
  if (chance > MPP + first) return null
  const unpaid = await fetch(await url()).catch(() => null)
  await unpaid?.arrayBuffer().catch(() => null)
  return unpaid?.status === 402 ? openProtocol(chance < MPP ? 'MPP' : 'x402 version 1', unpaid) : null
}

export type Order = {
  readonly good: GoodName
  readonly query: Readonly<Record<string, number | boolean>>
  readonly price: Purchase['price']
}

/** Signs for one call. */
export async function sign(
  buyer: {
    readonly payer: Payer
    readonly challenges: Challenges
    readonly id: string
    readonly isNamed: boolean
    readonly protocol?: SigningProtocol
  },
  { good, query, price }: Order,
): Promise<Purchase> {
  const { payer, challenges, id, isNamed, protocol } = buyer
  const challenge = challenges.get(good)
  if (!challenge) throw new Error(`${good} is not sold`)
  const nonce: Hex = protocol?.options.nonce ?? keccak256(toHex(id))
  const identifier = `payment_${nonce.slice(2, 34)}`
  const isInPayment = isNamed && !protocol
  const payment = await signPayment(payer, challenge, {
    ...protocol?.options,
    nonce,
    ...(isInPayment && { identifier }),
  })
  const headers = protocol ? protocol.headers(payment) : { 'payment-signature': payment }
  const search = new URLSearchParams({ call: id })
  for (const [name, value] of Object.entries(query)) search.set(name, `${value}`)
  return {
    id,
    good,
    nonce,
    headers: { ...headers, ...(isNamed && !isInPayment && { 'idempotency-key': identifier }) },
    price,
    path: `${GOODS[good].path}?${search}`,
    payer: payer.address.toLowerCase(),
    outcomes: [],
    answer: null,
    refusal: null,
    deaths: [],
    isEnding: false,
    runsWhenStored: null,
  }
}

/** An order of any of the goods, with its cost according to the price list. */
export function chooseOrder(good: GoodName, random: Random): Order {
  const between = (min: number, max: number) => min + Math.floor(random() * (max - min + 1))
  const fixed = { quick: 1_000n, slow: 2_000n, own: 3_000n, large: 4_000n }
  switch (good) {
    case 'quick':
    case 'own':
    case 'large':
      return { good, query: {}, price: { min: fixed[good], max: fixed[good] } }
    case 'slow':
      return { good, query: { afterMs: between(20, 250) }, price: { min: fixed.slow, max: fixed.slow } }
    case 'spell': {
      const letters = between(1, 50)
      const cost = LETTER_MICRO_USDC * BigInt(letters)
      return { good, query: { letters }, price: { min: cost, max: cost } }
    }
    case 'radio':
      return { good, query: toStream(between(1, 12), between(5, 40)), price: { min: 5_000n, max: 5_000n } }
    case 'dictation': {
      // A third are longer than the second after which a stream is first recorded.
      const query =
        random() < 0.35 ? toStream(between(25, 40), between(40, 50)) : toStream(between(1, 12), 20)
      const whole = PIECE_MICRO_USDC * BigInt(query.pieces)
      const max = whole > MIN_MICRO_USDC ? whole : MIN_MICRO_USDC
      return { good, query, price: { min: MIN_MICRO_USDC, max } }
    }
  }
}

function toStream(pieces: number, everyMs: number) {
  return { pieces, everyMs }
}

function chooseGood(random: Random): GoodName {
  let left = random() * 100
  for (const [name, share] of Object.entries(SHARES) as [GoodName, number][]) {
    left -= share
    if (left < 0) return name
  }
  return 'quick'
}
