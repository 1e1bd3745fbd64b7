import { type Block, findFirstBlockSince, requireBlock } from '@tollbook/chain/blocks'
import { CONTRACTS } from '@tollbook/chain/contracts'
import { type Hex, toQuantity } from '@tollbook/chain/hex'
import { RpcRefusal } from '@tollbook/chain/rpc/rpc-failure'
import { TOPIC } from '@tollbook/chain/topics'
import { encodeWords, toWord } from '@tollbook/chain/words'
import { RetryableError } from '@tollbook/flow/failure'
import type { ChainFinding } from '../facilitator.ts'
import { isByPermit2, type OfferedPayment } from '../payment.ts'
import { PERMIT_WORDS, proxyOf } from './calldata.ts'
import { type Chain, readNonceUse, readReceipt } from './chain.ts'
import { type ChainLog, findTransfer, type LogFinding } from './settlement-logs.ts'

/** Public nodes return at most 2,000 to 10,000 blocks of logs at a time. */
const BLOCKS_PER_QUERY = 2_000
/**
 * Margin around the lifetime: for clocks that differ, and for a settlement before the payment was presented
 * to us.
 */
const MARGIN_SECONDS = 600

/** The nonce is used, but no log of the searched blocks shows how. Worth a retry: a node may lag. */
export class UseNotFound extends RetryableError {
  override readonly name = 'UseNotFound'
}

/**
 * Finds out what became of an authorization, regardless of its submitter. Reads logs only if its nonce is
 * used, and only of the blocks in which it could have been used. With `atLeast`, an unused nonce must be unused in that
 * block or later.
 * @throws UseNotFound, and what the RPC throws.
 */
export async function findSettlement(
  chain: Chain,
  payment: OfferedPayment,
  { atLeast, signal }: { readonly atLeast?: number; readonly signal?: AbortSignal } = {},
): Promise<ChainFinding> {
  const final = await requireBlock(chain.rpc, chain.access.finalTag, signal)
  const use = await readNonceUse(chain, payment, signal ? { signal } : {})
  if (!use.isUsed) {
    const isOver = final.timestamp > payment.validBefore
    if (use.block < Math.max(atLeast ?? 0, isOver ? final.number : 0))
      throw new UseNotFound('the node lags behind')
    return { found: isOver ? 'expired' : 'open' }
  }
  for (const [from, to] of await rangesOf(chain, payment, signal)) {
    const seen = await findUse(chain, payment, [from, to], signal)
    if (!seen) continue
    const isFinal = seen.block <= final.number
    if (seen.finding.kind === 'paid')
      return { found: 'settled', transaction: seen.transaction, amount: seen.finding.amount, isFinal }
    return { found: 'cancelled', isFinal }
  }
  // Permit2 logs nothing of a nonce that another permit used, or another contract with this one.
  if (isByPermit2(payment) && (await isUsedForGood(chain, payment, final, signal)))
    return { found: 'cancelled', isFinal: true }
  throw new UseNotFound('the nonce is used, but no log of its lifetime shows how')
}

/** Whether the logs of the use are final, so that every node has them. */
async function isUsedForGood(
  chain: Chain,
  payment: OfferedPayment,
  final: Block,
  signal?: AbortSignal,
): Promise<boolean> {
  if (final.timestamp > payment.validBefore) return true
  try {
    return (await readNonceUse(chain, payment, { at: chain.access.finalTag, ...(signal && { signal }) }))
      .isUsed
  } catch (error) {
    // Many nodes keep the state of the newest blocks alone.
    if (error instanceof RpcRefusal) return false
    throw error
  }
}

const NO_TRANSACTION = 'the node does not have the transaction that used the nonce'

type Range = readonly [from: number, to: number]

type Use = { readonly finding: LogFinding; readonly transaction: Hex; readonly block: number }

/** The blocks of the authorization's lifetime, newest first, because most look-ups happen soon after. */
async function rangesOf(chain: Chain, payment: OfferedPayment, signal?: AbortSignal): Promise<Range[]> {
  const { validBefore, terms } = payment
  const head = await requireBlock(chain.rpc, 'latest', signal)
  const numberAt = async (time: number) =>
    (await findFirstBlockSince(chain.rpc, { time, head }, signal))?.number ?? head.number
  const first = await numberAt(validBefore - terms.maxTimeoutSeconds - MARGIN_SECONDS)
  const last = await numberAt(validBefore)
  const ranges: Range[] = []
  for (let to = last; to >= first; to -= BLOCKS_PER_QUERY)
    ranges.push([Math.max(first, to - BLOCKS_PER_QUERY + 1), to])
  return ranges
}

async function findUse(
  chain: Chain,
  payment: OfferedPayment,
  range: Range,
  signal?: AbortSignal,
): Promise<Use | null> {
  return isByPermit2(payment)
    ? findPermit2Use(chain, payment, range, signal)
    : findAuthorizedUse(chain, payment, range, signal)
}

async function findAuthorizedUse(
  chain: Chain,
  payment: OfferedPayment,
  range: Range,
  signal?: AbortSignal,
): Promise<Use | null> {
  const [log] = await readLogs(
    chain,
    payment.terms.asset,
    [[TOPIC.authorizationUsed, TOPIC.authorizationCanceled], toWord(payment.payer), payment.nonce],
    range,
    signal,
  )
  if (!log) return null
  const place = { transaction: log.transactionHash, block: Number(log.blockNumber) }
  if (log.topics[0] === TOPIC.authorizationCanceled) return { finding: { kind: 'spent-elsewhere' }, ...place }
  const receipt = await readReceipt(chain, log.transactionHash, signal)
  const finding = findTransfer(receipt?.logs ?? [], payment)
  // The log was just returned: a node that does not have the transaction lags behind.
  if (finding.kind === 'absent') throw new UseNotFound(NO_TRANSACTION)
  return { finding, ...place }
}

/**
 * Permit2 emits nothing when it moves tokens by a signed nonce, and the proxy's event has no nonce. So the
 * payer's transfers to payTo are read, and the nonce comes from the calldata of their transactions. Those of this
 * facilitator call the proxy directly. Another contract may call the proxy of `exact`, too, but its calldata proves
 * nothing: it may name a nonce and settle another payment.
 */
async function findPermit2Use(
  chain: Chain,
  payment: OfferedPayment,
  range: Range,
  signal?: AbortSignal,
): Promise<Use | null> {
  const { payer, payTo, terms } = payment
  const transfers = await readLogs(
    chain,
    terms.asset,
    [TOPIC.transfer, toWord(payer), toWord(payTo)],
    range,
    signal,
  )
  for (const transaction of new Set(transfers.map((log) => log.transactionHash))) {
    if (!(await callsForPayment(chain, payment, transaction, signal))) continue
    const receipt = await readReceipt(chain, transaction, signal)
    if (!receipt) throw new UseNotFound(NO_TRANSACTION)
    const finding = findTransfer(receipt.logs, payment)
    if (finding.kind === 'paid') return { finding, transaction, block: Number(receipt.blockNumber) }
  }
  const wide = BigInt(payment.nonce)
  const invalidations = await readLogs(
    chain,
    CONTRACTS.permit2,
    [TOPIC.nonceInvalidated, toWord(payer)],
    range,
    signal,
  )
  const cancelling = invalidations.find((log) => {
    const [word, mask] = [BigInt(log.data.slice(0, 66)), BigInt(`0x${log.data.slice(66)}`)]
    return word === wide >> 8n && ((mask >> (wide & 0xffn)) & 1n) === 1n
  })
  if (!cancelling) return null
  return {
    finding: { kind: 'spent-elsewhere' },
    transaction: cancelling.transactionHash,
    block: Number(cancelling.blockNumber),
  }
}

async function callsForPayment(
  chain: Chain,
  payment: OfferedPayment,
  hash: Hex,
  signal?: AbortSignal,
): Promise<boolean> {
  const transaction = (await chain.rpc.call('eth_getTransactionByHash', [hash], signal)) as {
    readonly to: Hex | null
    readonly input: Hex
  } | null
  // Its log was just returned.
  if (!transaction) throw new UseNotFound(NO_TRANSACTION)
  const proxy = proxyOf(payment)
  if (transaction.to?.toLowerCase() !== proxy.address.toLowerCase()) return false
  const skipped = { [proxy.settle]: 0, [proxy.settleWithPermit]: PERMIT_WORDS }[
    transaction.input.slice(0, 10)
  ]
  if (skipped === undefined) return false
  const wordAt = (at: number) =>
    transaction.input.slice(10 + (skipped + at) * 64, 10 + (skipped + at + 1) * 64)
  return (
    wordAt(proxy.nonceAt) === payment.nonce.slice(2) && wordAt(proxy.ownerAt) === encodeWords([payment.payer])
  )
}

async function readLogs(
  chain: Chain,
  address: Hex,
  topics: readonly (Hex | readonly Hex[])[],
  [from, to]: Range,
  signal?: AbortSignal,
): Promise<readonly ChainLog[]> {
  const filter = { address, topics, fromBlock: toQuantity(from), toBlock: toQuantity(to) }
  return (await chain.rpc.call('eth_getLogs', [filter], signal)) as readonly ChainLog[]
}
