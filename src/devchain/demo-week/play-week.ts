import {
  type Address,
  encodeEventTopics,
  encodeFunctionData,
  type Hex,
  maxUint256,
  numberToHex,
  parseEther,
} from 'viem'
import { BASE } from '../../money/base.ts'
import { devUsdcAbi } from '../contracts/abis.ts'
import type { DevChain } from '../dev-chain.ts'
import { mintUsdc } from '../genesis.ts'
import { batchCalls } from './batch-calls.ts'
import type { DemoEvent } from './demo-event.ts'
import { type DemoWallet, toDemoNonce } from './demo-wallet.ts'
import { type DemoCall, encodeEvent } from './encode-event.ts'
import { planWeek } from './plan.ts'
import { WEEK_SECONDS } from './sample-time.ts'
import { createTransactionSigner, type RawTransaction } from './sign-transaction.ts'
import { buildTruth, type DemoTruth, type SentEvent } from './truth.ts'

export type DemoWeekOptions = {
  /** About how many payments; 2,600 when absent, and below 2,000 not every screen trips. */
  readonly payments?: number
  /** Another seed gives other amounts and times; 1 when absent. */
  readonly seed?: number
  /** Called after each block with the events that are on the chain, and with all of them. */
  readonly onProgress?: (done: number, total: number) => void
}

/** A block each half hour: the way to anvil and back costs more than what is in a block. */
const BLOCK_SECONDS = 1800
const GAS_MONEY = numberToHex(parseEther('100'))

/**
 * Fills the last seven days of a new chain with real payments and starts its clock. Everything is signed by its
 * payer, submitted by a facilitator and mined; nothing is written into the chain from the side.
 * @returns what a report of the week must come to, for tests.
 * @throws Error when the chain is not new and stopped, or a transaction did not do what the plan says.
 */
export async function playDemoWeek(chain: DevChain, options: DemoWeekOptions = {}): Promise<DemoTruth> {
  if (!chain.isNew) throw new Error('a demo week is played on a new chain only')
  const { payments = 2600, seed = 1, onProgress = () => {} } = options
  const endSeconds = Math.floor(Date.now() / 1000) - 1
  const events = planWeek({ payments, seed, endSeconds })
  const player = createPlayer(seed)
  await prepareWallets(chain, events)
  await chain.rpc.call('evm_setAutomine', [false])
  await mineBlock(chain, approveAll(events).map(player.sign), endSeconds - WEEK_SECONDS - BLOCK_SECONDS)

  const sent: SentEvent[] = []
  let mining: Promise<void> = Promise.resolve()
  for (const [blockSeconds, inBlock] of groupByBlock(events, endSeconds)) {
    // While anvil mines a block, the next one is signed.
    const block = player.signBlock(inBlock, blockSeconds)
    await mining
    mining = mineBlock(chain, block.transactions, blockSeconds)
    sent.push(...block.sent)
    onProgress(sent.length, events.length)
  }
  await mining
  await chain.rpc.call('evm_setAutomine', [true])
  await chain.startClock()
  await requireTransfers(chain, events)
  return buildTruth(sent)
}

function createPlayer(seed: number) {
  const sign = createTransactionSigner()
  const permits = new Map<Address, bigint>()
  let events = 0
  const encode = (event: DemoEvent, blockSeconds: number) => {
    const buyer = event.from.address
    const permitNonce = permits.get(buyer) ?? 0n
    if (event.kind === 'payment' && event.path === 'upto-permit') permits.set(buyer, permitNonce + 1n)
    return encodeEvent(event, { blockSeconds, nonce: toDemoNonce(seed, events++), permitNonce })
  }
  return {
    sign,
    signBlock(inBlock: readonly DemoEvent[], blockSeconds: number) {
      const isBatched = (event: DemoEvent) => event.kind === 'payment' && event.path === 'batch'
      const [batched, single] = [inBlock.filter(isBatched), inBlock.filter((event) => !isBatched(event))]
      const alone = single.map((event) => ({
        transaction: sign(encode(event, blockSeconds)),
        events: [event],
      }))
      const batches = batchCalls(batched.map((event) => encode(event, blockSeconds)))
      const together = batches.map(({ call, members }) => ({
        transaction: sign(call),
        events: members.flatMap((member) => batched[member] ?? []),
      }))
      const all = [...alone, ...together]
      const sent = all.flatMap(({ transaction, events }) =>
        events.map((event): SentEvent => ({ event, transaction: transaction.hash, blockSeconds })),
      )
      return { transactions: all.map(({ transaction }) => transaction), sent }
    },
  }
}

/** Gives every wallet what it will spend, and gas to those who send transactions of their own. */
async function prepareWallets(chain: DevChain, events: readonly DemoEvent[]) {
  const spent = new Map<Address, bigint>()
  for (const { from, amount } of events) spent.set(from.address, (spent.get(from.address) ?? 0n) + amount)
  await mintUsdc(
    chain.rpc,
    [...spent].map(([to, amount]) => ({ to, amount })),
  )
  const senders = events.map((event) => (event.kind === 'transfer' ? event.from : event.sender))
  const approvers = approveAll(events).map(({ sender }) => sender)
  const addresses = [...new Set([...senders, ...approvers].map(({ address }) => address))]
  await chain.rpc.batch(
    addresses.map((address) => ({ method: 'anvil_setBalance', params: [address, GAS_MONEY] })),
  )
}

/** Permit2 needs the allowance of everyone who pays through it without a permit. */
function approveAll(events: readonly DemoEvent[]): readonly DemoCall[] {
  const buyers = events.flatMap((event) =>
    event.kind === 'payment' && (event.path === 'upto' || event.path === 'exact-permit2') ? [event.from] : [],
  )
  const data = encodeFunctionData({
    abi: devUsdcAbi,
    functionName: 'approve',
    args: [BASE.permit2, maxUint256],
  })
  return [...new Set<DemoWallet>(buyers)].map((sender) => ({ sender, to: BASE.usdc, data, gas: 80_000n }))
}

/** Each event goes into the first block at or after its time; the last block ends the week. */
function groupByBlock(events: readonly DemoEvent[], endSeconds: number) {
  return Map.groupBy(events, ({ atSeconds }) => atSeconds + ((endSeconds - atSeconds) % BLOCK_SECONDS))
}

async function mineBlock(chain: DevChain, transactions: readonly RawTransaction[], seconds: number) {
  await chain.rpc.batch(transactions.map(({ raw }) => ({ method: 'eth_sendRawTransaction', params: [raw] })))
  await chain.rpc.call('evm_mine', [seconds])
}

/** Whatever the plan did not foresee, such as a refused payment, shows in the number of transfers. */
async function requireTransfers(chain: DevChain, events: readonly DemoEvent[]) {
  const expected = events.filter(({ kind }) => kind !== 'refused').length
  const logs = await chain.rpc.call<readonly { readonly topics: readonly Hex[] }[]>('eth_getLogs', [
    { address: BASE.usdc, fromBlock: '0x0', topics: toEventTopics() },
  ])
  const moved = logs.filter(({ topics }) => topics[1] !== MINTED)
  if (moved.length !== expected)
    throw new Error(`the demo week made ${moved.length} of ${expected} transfers: the chain was not new`)
}

const MINTED = `0x${'0'.repeat(64)}`
const toEventTopics = () => encodeEventTopics({ abi: devUsdcAbi, eventName: 'Transfer' })
