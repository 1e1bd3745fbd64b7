import { toBlockName } from '../../chain/blocks.ts'
import { type Address, type Hex, parseAddress, parseWord } from '../../chain/hex.ts'
import { keccak } from '../../chain/keccak.ts'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import { NodeBehind, RpcRefusal } from '../../chain/rpc/rpc-failure.ts'
import { TOPIC } from '../../chain/topics.ts'
import { encodeWords } from '../../chain/words.ts'
import { InvalidAnswer, Unreachable } from '../../fetching/failure.ts'
import type { PaymentContracts } from './contracts.ts'
import type { EscrowPayment } from './log.ts'
import { createRangeSize } from './range-size.ts'
import type { Receipt } from './receipts.ts'

/** Who pays whom through an escrow, by the id of the channel or capture. */
export type EscrowTerms = ReadonlyMap<Hex, { readonly payer: Address; readonly receiver: Address }>

export const NO_TERMS: EscrowTerms = new Map()

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
  { rpc, contracts }: { readonly rpc: Rpc; readonly contracts: PaymentContracts },
  receipts: readonly Receipt[],
  signal: AbortSignal,
): Promise<EscrowTerms> {
  const wanted = receipts
    .filter(({ logs }) => logs.some(isEscrowPayment))
    .map(({ transaction, logs }) => ({ transaction, payments: logs.filter(isEscrowPayment) }))
  if (wanted.length === 0) return NO_TERMS
  const answers = await rpc.batch(
    wanted.map(({ transaction }) => ({ method: 'eth_getTransactionByHash', params: [transaction] })),
    signal,
  )
  const terms = new Map<Hex, { readonly payer: Address; readonly receiver: Address }>()
  const unproven: EscrowPayment[] = []
  for (const [at, { transaction, payments }] of wanted.entries()) {
    const input = toInput(answers[at], transaction)
    for (const [id, found] of findEscrowTerms(input, payments, contracts)) terms.set(id, found)
    const isOpen = ({ kind, id }: EscrowPayment) => kind === 'claim' && !terms.has(id)
    if (payments.some(isOpen)) {
      const channels = findChannels(input, contracts)
      unproven.push(...payments.filter((payment) => isOpen(payment) && !channels.has(payment.id)))
    }
  }
  if (unproven.length === 0) return terms
  const lastBlock = Math.max(...receipts.map(({ blockNumber }) => blockNumber))
  const ids = [...new Set(unproven.map(({ id }) => id))]
  for (const config of await readCreatedChannels({ rpc, contracts, ids, lastBlock }, signal))
    for (const [id, found] of findEscrowTerms(config, unproven, contracts)) terms.set(id, found)
  return terms
}

/** Terms around each word of USDC in calldata, as hex digits, if they hash to the id of a payment. */
export function findEscrowTerms(
  input: string,
  payments: readonly EscrowPayment[],
  contracts: PaymentContracts,
): EscrowTerms {
  const ids = new Map(payments.map((payment) => [payment.id, payment]))
  const from = new Set(payments.map(({ escrow }) => escrow))
  const token = encodeWords([contracts.usdc])
  const domain = channelDomain(contracts)
  const found = new Map<Hex, { readonly payer: Address; readonly receiver: Address }>()
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
  return keccak(Buffer.from(digits, 'hex')).toString('hex')
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

type CreatedQuery = {
  readonly rpc: Rpc
  readonly contracts: PaymentContracts
  readonly ids: readonly Hex[]
  /** Channels were created at or before this block. */
  readonly lastBlock: number
}

/** Chosen: three days of blocks where a node accepts 10,000 at once, so that a claim in dust costs little. */
const MAX_REQUESTS = 16

/** Data of the `ChannelCreated` logs of channels, as hex digits; searches a limited number of blocks back. */
async function readCreatedChannels(
  { rpc, contracts, ids, lastBlock }: CreatedQuery,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const size = createRangeSize()
  const found = new Map<unknown, string>()
  let end = lastBlock + 1
  for (let request = 0; request < MAX_REQUESTS && end > 0 && found.size < ids.length; request++) {
    const asked = Math.min(size.blocks, end)
    const filter = {
      fromBlock: toBlockName(end - asked),
      toBlock: toBlockName(end - 1),
      address: contracts.channelEscrow,
      topics: [TOPIC.channelCreated, ids],
    }
    try {
      const logs = await rpc.call('eth_getLogs', [filter], signal)
      for (const log of Array.isArray(logs) ? logs : []) {
        const { topics, data } = Object(log) as { readonly topics?: unknown; readonly data?: unknown }
        if (Array.isArray(topics) && typeof data === 'string')
          found.set(topics[1], data.slice(2).toLowerCase())
      }
      end -= asked
      size.grow(asked)
    } catch (error) {
      const isWorthHalving = error instanceof RpcRefusal || error instanceof Unreachable
      if (!isWorthHalving || asked === 1) throw error
      size.shrink(asked)
    }
  }
  return [...found.values()]
}
