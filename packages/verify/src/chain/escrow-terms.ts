import { type Address, type Hex, hexToBytes, parseAddress, parseWord } from '@tollbook/chain/hex'
import { keccakHex } from '@tollbook/chain/keccak'
import type { Rpc } from '@tollbook/chain/rpc/rpc'
import { NodeBehind } from '@tollbook/chain/rpc/rpc-failure'
import { encodeWords } from '@tollbook/chain/words'
import { InvalidAnswer } from '@tollbook/flow/failure'
import { type ChannelHistory, createChannelHistory } from './channel-history.ts'
import type { PaymentContracts } from './contracts.ts'
import type { EscrowPayment } from './log.ts'
import type { Receipt } from './receipts.ts'

export type TermsSource = {
  readonly rpc: Rpc
  readonly contracts: PaymentContracts
  /** What the same node answered about earlier receipts; absent: nothing. */
  readonly channels?: ChannelHistory | undefined
}

type Terms = { readonly payer: Address; readonly receiver: Address }

/** Who pays whom through an escrow, see `termsKey`. */
export type EscrowTerms = ReadonlyMap<string, Terms>

export const NO_TERMS: EscrowTerms = new Map()

/** By transaction: what others prove depends on which are read together. @param id of the channel or capture. */
export function termsKey(transaction: Hex, id: Hex): string {
  return `${transaction}:${id}`
}

/** `EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)`. */
const DOMAIN_TYPEHASH = '8b73c3c69bb8fe3d512ecc4cf759cc79239f7b179b0ffacaa9a75d522b39400f'
/** Keccak-256 of `x402 Batch Settlement` and of `1`, the domain of the channel escrow. */
const DOMAIN_NAME = 'e03c502b9066cc6f23a8f0f48ed32cb7d506f9f0a2d0055449f256846a770e9a'
const DOMAIN_VERSION = 'c89efdaa54c0f20c7adf612882df0950f5a951637e0307cdcb4c672f298b8bc6'
/** `ChannelConfig(address payer,address payerAuthorizer,address receiver,address receiverAuthorizer,address token,uint40 withdrawDelay,bytes32 salt)`. */
const CHANNEL_TYPEHASH = '1c9a06ceab9b0ebbd3301dc56c9111bb6d9af421356dc9ccb3b7084c755db308'
/** `PaymentInfo(address operator,address payer,address receiver,address token,uint120 maxAmount,uint48 preApprovalExpiry,uint48 authorizationExpiry,uint48 refundExpiry,uint16 minFeeBps,uint16 maxFeeBps,address feeReceiver,uint256 salt)`. */
const CAPTURE_TYPEHASH = 'ae68ac7ce30c86ece8196b61a7c486d8f0061f575037fbd34e7fe4e2820c6591'

/** Places of the words that matter in the terms. */
const SHAPES = {
  claim: { words: 7, payer: 0, receiver: 2, token: 4 },
  capture: { words: 12, payer: 1, receiver: 2, token: 3 },
} as const

const DIGITS_PER_WORD = 64
/** Chosen: a batch of claims that fills a transaction has some 300. Calldata of zeros has 30,000 candidates. */
const MAX_CHANNELS = 2_000
const ADDRESS_PADDING = '0'.repeat(24)

/**
 * Reads the terms of claims and captures, of which escrows store hashes, from the calldata of their
 * transactions; those of a channel that a contract stores, from the log of its creation. Terms in other
 * tokens are left out. @throws NodeBehind if a transaction is unknown; InvalidAnswer for another one than
 * requested.
 */
export async function readEscrowTerms(
  { rpc, contracts, channels = createChannelHistory() }: TermsSource,
  receipts: readonly Receipt[],
  signal: AbortSignal,
): Promise<EscrowTerms> {
  const wanted = receipts
    .filter(({ logs }) => logs.some(isEscrowPayment))
    .map(({ logs, ...receipt }) => ({ ...receipt, payments: logs.filter(isEscrowPayment) }))
  if (wanted.length === 0) return NO_TERMS
  const answers = await rpc.batch(
    wanted.map(({ transaction }) => ({ method: 'eth_getTransactionByHash', params: [transaction] })),
    signal,
  )
  const terms = new Map<string, Terms>()
  const unproven: Unproven[] = []
  for (const [at, { transaction, blockNumber, payments }] of wanted.entries()) {
    const input = toInput(answers[at], transaction)
    const found = findEscrowTerms(input, payments, contracts)
    for (const [id, each] of found) terms.set(termsKey(transaction, id), each)
    const open = payments.filter(({ kind, id }) => kind === 'claim' && !found.has(id))
    if (open.length === 0) continue
    const named = findChannels(input, contracts)
    for (const payment of open)
      if (!named.has(payment.id)) unproven.push({ transaction, blockNumber, payment })
  }
  if (unproven.length === 0) return terms
  const blocks = unproven.map(({ blockNumber }) => blockNumber)
  const firstBlock = Math.max(0, Math.min(...blocks) - MAX_AGE_BLOCKS)
  const range = { firstBlock, endBlock: Math.max(...blocks) + 1 }
  const created = await channels.read({ rpc, escrow: contracts.channelEscrow, ...range }, signal)
  for (const { transaction, blockNumber, payment } of unproven) {
    const channel = created.get(payment.id)
    if (!channel || channel.block < blockNumber - MAX_AGE_BLOCKS) continue
    for (const [id, each] of findEscrowTerms(channel.config, [payment], contracts))
      terms.set(termsKey(transaction, id), each)
  }
  return terms
}

/** Terms around each word of USDC in calldata, as hex digits, if they hash to the id of a payment. */
export function findEscrowTerms(
  input: string,
  payments: readonly EscrowPayment[],
  contracts: PaymentContracts,
): ReadonlyMap<Hex, Terms> {
  const ids = new Map(payments.map((payment) => [payment.id, payment]))
  const from = new Set(payments.map(({ escrow }) => escrow))
  const token = encodeWords([contracts.usdc])
  const domain = channelDomain(contracts)
  const found = new Map<Hex, Terms>()
  for (let at = input.indexOf(token); at >= 0; at = input.indexOf(token, at + 1)) {
    for (const kind of ['claim', 'capture'] as const) {
      const shape = SHAPES[kind]
      const start = at - shape.token * DIGITS_PER_WORD
      const words = input.slice(Math.max(0, start), start + shape.words * DIGITS_PER_WORD)
      if (start < 0 || words.length < shape.words * DIGITS_PER_WORD) continue
      const escrows = kind === 'claim' ? [contracts.channelEscrow] : contracts.captureEscrows
      for (const escrow of escrows) {
        if (!from.has(escrow)) continue
        const id = kind === 'claim' ? channelId(words, domain) : captureId(words, escrow, contracts.chainId)
        if (ids.get(id)?.escrow !== escrow) continue
        found.set(id, { payer: addressAt(words, shape.payer), receiver: addressAt(words, shape.receiver) })
      }
    }
  }
  return found
}

/** Ids of the first 2,000 channels in any token whose terms may be in calldata. @param input hex digits. */
export function findChannels(input: string, contracts: PaymentContracts): ReadonlySet<Hex> {
  const { words, payer, receiver, token } = SHAPES.claim
  const domain = channelDomain(contracts)
  const found = new Set<Hex>()
  let candidates = 0
  // Each level of nested calls moves the words by the four bytes of its selector.
  for (let at = 0; at + words * DIGITS_PER_WORD <= input.length; at += 8) {
    const isAddress = (place: number) => input.startsWith(ADDRESS_PADDING, at + place * DIGITS_PER_WORD)
    if (!isAddress(payer) || !isAddress(receiver) || !isAddress(token)) continue
    found.add(channelId(input.slice(at, at + words * DIGITS_PER_WORD), domain))
    candidates += 1
    if (candidates === MAX_CHANNELS) break
  }
  return found
}

/** EIP-712 hash of a ChannelConfig. @param words its digits. */
function channelId(words: string, domain: string): Hex {
  return `0x${hashOf(`1901${domain}${hashOf(`${CHANNEL_TYPEHASH}${words}`)}`)}`
}

/** EIP-712 domain separator of the channel escrow. */
function channelDomain({ chainId, channelEscrow }: PaymentContracts): string {
  const place = encodeWords([chainId, channelEscrow])
  return hashOf(`${DOMAIN_TYPEHASH}${DOMAIN_NAME}${DOMAIN_VERSION}${place}`)
}

/** `AuthCaptureEscrow.getHash`. @param words digits of a PaymentInfo. */
function captureId(words: string, escrow: Address, chainId: number): Hex {
  return `0x${hashOf(`${encodeWords([chainId, escrow])}${hashOf(`${CAPTURE_TYPEHASH}${words}`)}`)}`
}

/** Keccak-256 of hex digits, as hex digits. */
function hashOf(digits: string): string {
  return keccakHex(hexToBytes(digits))
}

function addressAt(words: string, place: number): Address {
  return parseAddress(
    `0x${words.slice(place * DIGITS_PER_WORD + 24, (place + 1) * DIGITS_PER_WORD)}`,
    'transaction',
  )
}

function isEscrowPayment(log: Receipt['logs'][number]): log is Receipt['logs'][number] & EscrowPayment {
  return log.kind === 'claim' || log.kind === 'capture'
}

function toInput(answer: unknown, transaction: Hex): string {
  if (answer === null) throw new NodeBehind('a transaction disappeared while its block was read')
  const { hash, input } = Object(answer) as Readonly<Record<string, unknown>>
  if (parseWord(hash, 'transaction') !== transaction)
    throw new InvalidAnswer('the chain RPC returned another transaction than requested')
  if (typeof input !== 'string' || !/^0x([0-9a-f]{2})*$/i.test(input))
    throw new InvalidAnswer('the chain RPC returned a malformed transaction')
  return input.slice(2).toLowerCase()
}

/** A claim without terms in its calldata. */
type Unproven = { readonly transaction: Hex; readonly blockNumber: number; readonly payment: EscrowPayment }

/**
 * Chosen: three days between the creation of a channel and its claim. A number of blocks, so that the same claims count
 * whatever a node accepts.
 */
const MAX_AGE_BLOCKS = 129_600
