import { BASE } from '@tollbook/chain/network'
import { encodeEventTopics, type Hex } from 'viem'
import type { RpcClient } from '../anvil/json-rpc.ts'
import { devUsdcAbi } from '../contracts/abis.ts'
import type { DevChain } from '../dev-chain.ts'
import type { DemoEvent } from './demo-event.ts'
import { planWeek } from './plan.ts'
import { prepareWallets } from './prepare-wallets.ts'
import { WEEK_SECONDS } from './sample-time.ts'
import { createWeekSigner, type SignedEvents } from './sign-block.ts'

export type DemoWeekOptions = {
  /** Approximate number of payments, default 2,600; below 2,000 not every screen trips. */
  readonly payments?: number
  /** Seed of amounts and times, default 1. */
  readonly seed?: number
  /** Called after each block with the number of events sent, and the total. */
  readonly onProgress?: (done: number, total: number) => void
}

export type SentEvent = {
  readonly event: DemoEvent
  readonly transaction: Hex
  /** Time of its block, epoch seconds. */
  readonly blockSeconds: number
}

/** One block per hour: the round trip to anvil costs more than the content of a block. */
const BLOCK_SECONDS = 3600
const NOBODY = `0x${'0'.repeat(64)}`

/**
 * Fills the last seven days of a new chain with real payments and starts its clock. Every payment is signed
 * by its payer, submitted by a facilitator and mined; nothing is written to the chain's state directly.
 * @returns what was sent, in order.
 * @throws Error if the chain is not new, or if a transaction does not have the planned effect.
 */
export async function playDemoWeek(
  chain: DevChain,
  options: DemoWeekOptions = {},
): Promise<readonly SentEvent[]> {
  const { payments = 2600, seed = 1, onProgress = () => {} } = options
  if (!chain.isNew) throw new Error('a demo week can only be played on a new chain')
  const endSeconds = Math.floor(Date.now() / 1000) - 1
  const events = planWeek({ payments, seed, endSeconds })
  const signer = createWeekSigner(seed)
  const approvals = await prepareWallets(chain.rpc, events)
  await chain.rpc.call('evm_setAutomine', [false])
  const raws: Hex[] = []
  for (const approval of approvals) raws.push(await signer.signCall(approval))
  await mineBlock(chain.rpc, raws, endSeconds - WEEK_SECONDS - BLOCK_SECONDS)

  const sent: SentEvent[] = []
  const mine = async (signed: readonly SignedEvents[], blockSeconds: number) => {
    const raws = signed.map(({ raw }) => raw)
    const hashes = await mineBlock(chain.rpc, raws, blockSeconds)
    signed.forEach((transaction, index) => {
      for (const event of transaction.events)
        sent.push({ event, transaction: hashes[index] ?? '0x', blockSeconds })
    })
    onProgress(sent.length, events.length)
  }
  let mining = Promise.resolve()
  for (const [blockSeconds, inBlock] of groupByBlock(events, endSeconds)) {
    // The next block is signed while anvil mines the current one.
    const signed = await signer.signBlock(inBlock, blockSeconds)
    await mining
    mining = mine(signed, blockSeconds)
  }
  await mining
  await chain.rpc.call('evm_setAutomine', [true])
  await requireTransfers(chain.rpc, events)
  await chain.startClock()
  return sent
}

/** Each event goes into the first block at or after its time; the last block ends the week. */
function groupByBlock(events: readonly DemoEvent[], endSeconds: number) {
  return Map.groupBy(events, ({ atSeconds }) => atSeconds + ((endSeconds - atSeconds) % BLOCK_SECONDS))
}

/** @returns the hashes of the transactions. */
async function mineBlock(rpc: RpcClient, raws: readonly Hex[], seconds: number): Promise<readonly Hex[]> {
  const requests = raws.map((raw) => ({ method: 'eth_sendRawTransaction', params: [raw] }))
  const hashes = (await rpc.batch(requests)) as readonly Hex[]
  await rpc.call('evm_mine', [seconds])
  return hashes
}

/** Any deviation from the plan, such as a rejected payment, changes the number of transfers. */
async function requireTransfers(rpc: RpcClient, events: readonly DemoEvent[]) {
  const expected = events.filter(({ kind }) => kind !== 'refused').length
  const topics = encodeEventTopics({ abi: devUsdcAbi, eventName: 'Transfer' })
  const logs = await rpc.call<readonly { readonly topics: readonly Hex[] }[]>('eth_getLogs', [
    { address: BASE.usdc, fromBlock: '0x0', topics },
  ])
  const moved = logs.filter((log) => log.topics[1] !== NOBODY).length
  if (moved !== expected) throw new Error(`the demo week made ${moved} of ${expected} transfers`)
}
