import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createReadRpc } from '@tollbook/chain/rpc/read-rpc'
import type { Rpc } from '@tollbook/chain/rpc/rpc'
import { RpcRefusal } from '@tollbook/chain/rpc/rpc-failure'
import { type DevChain, startDevChain } from '@tollbook/devchain/dev-chain'
import { sendCall, toAuthorizedTransfer } from '@tollbook/testing/report/chain-payments'
import { BASE_CONTRACTS } from '@tollbook/verify/chain/contracts'
import type { Payment } from '@tollbook/verify/chain/payment'
import { createRangeSize } from '@tollbook/verify/chain/range-size'
import { readMerchant } from '@tollbook/verify/recompute/read-merchant'
import { readStep } from './follow.ts'

const FACILITATOR = `0x${'fa'.repeat(20)}` as const
const SHOP = `0x${'5a'.repeat(20)}` as const
const signal = new AbortController().signal
const AMOUNTS = [1n, 2n, 3n, 4n]
/** How many of the payments are in blocks that the node has pruned. */
const PRUNED = 2

let chain: DevChain
let rpc: Rpc
let payments: readonly Payment[]

before(async () => {
  chain = await startDevChain({ port: 0, clock: 'stopped' })
  rpc = createReadRpc({ url: chain.rpcUrl })
  await chain.fundGas(FACILITATOR)
  for (const amount of AMOUNTS)
    await sendCall(
      chain,
      FACILITATOR,
      await toAuthorizedTransfer({ payer: 0, to: SHOP, amount, salt: `${amount}` }),
    )
  payments = await READERS.index(rpc)
})
after(() => chain.close())

const READERS = {
  async index(from: Rpc): Promise<readonly Payment[]> {
    const source = {
      rpc: from,
      range: createRangeSize(),
      contracts: BASE_CONTRACTS,
      facilitators: new Set<never>(),
      head: 'latest',
      now: () => new Date(),
      clock: null,
      findWitness: async () => null,
      isCrossChecked: false,
    } as const
    const step = await readStep(source, { firstBlock: 0, nextBlock: 0, checkpoints: [] }, signal)
    return step.kind === 'blocks' ? step.payments : []
  },
  async verify(from: Rpc): Promise<readonly Payment[]> {
    const endBlock = Number(await from.call('eth_blockNumber', [])) + 1
    const range = { firstBlock: 0, endBlock }
    const source = { rpc: from, contracts: BASE_CONTRACTS, facilitators: new Set<never>() }
    return (await readMerchant({ ...source, ...range, wallets: [SHOP] }, signal)).received
  },
}

/** What nodes answer about blocks that they have pruned; an empty list is `requireLogs`' to find. */
const ANSWERS: Readonly<Record<string, (method: string) => unknown>> = {
  'an error about logs': (method) => {
    if (method !== 'eth_getLogs') return undefined
    throw new RpcRefusal(method, { code: 4444, message: 'pruned history unavailable' })
  },
  'null for logs': (method) => (method === 'eth_getLogs' ? null : undefined),
  'null for receipts': (method) => (method === 'eth_getTransactionReceipt' ? null : undefined),
}

for (const [reader, read] of Object.entries(READERS))
  for (const [name, answer] of Object.entries(ANSWERS))
    test(`${reader}: ${name} of pruned blocks is an error, not the sum of the other payments`, async () => {
      assert.deepEqual(
        (await read(rpc)).map(({ amount }) => amount),
        AMOUNTS,
      )
      await assert.rejects(
        read(pruneBy(answer)),
        /pruned history unavailable|list of logs|malformed logs|no receipt|transaction disappeared/,
      )
    })

/** The node, which lacks the blocks of the first payments. */
function pruneBy(answer: (method: string) => unknown): Rpc {
  const gone = new Set(payments.slice(0, PRUNED).map(({ transaction }) => transaction))
  const lastGone = payments[PRUNED - 1]?.blockNumber ?? 0
  const call: Rpc['call'] = async (method, params) => {
    const [asked] = params
    const { fromBlock, address } = Object(asked) as {
      readonly fromBlock?: string
      readonly address?: unknown
    }
    const isGone =
      fromBlock === undefined
        ? gone.has(asked as never)
        : // Logs of escrows are read by the same code for both, which would hide the reading of transfers.
          [address].flat().includes(BASE_CONTRACTS.usdc) && Number(fromBlock) <= lastGone
    const pruned = isGone ? answer(method) : undefined
    return pruned === undefined ? rpc.call(method, params) : pruned
  }
  return { call, batch: (requests) => Promise.all(requests.map((each) => call(each.method, each.params))) }
}
