import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Address } from '@tollbook/chain/hex'
import { toResults } from '@tollbook/chain/rpc/json-rpc'
import type { Rpc } from '@tollbook/chain/rpc/rpc'
import { TOPIC } from '@tollbook/chain/topics'
import { RetryableError } from '@tollbook/flow/failure'
import {
  type ChainPlan,
  createSimulatedChain,
  type RawLog,
  type RawReceipt,
  type SimulatedPayment,
} from '@tollbook/testing/simulated-chain/chain'
import { type Answer, answerHonestly, type Behaviour } from '@tollbook/testing/simulated-chain/node'
import fc from 'fast-check'
import { announcingEvents, BASE_CONTRACTS } from './contracts.ts'
import { knownFacilitators } from './facilitators.ts'
import { findAllTransactions } from './logs.ts'
import { createRangeSize } from './range-size.ts'
import { readPayments } from './read-payments.ts'
import { createReceiptWays } from './receipt-ways.ts'

const { signal } = new AbortController()
const BLOCKS = 12
const WALLETS = [1, 2, 3, 4].map((digit) => `0x${String(digit).repeat(40)}` as const)
const honest: Behaviour = (call, answer) => answer(call)
const refused: Answer = { error: { code: -32601, message: 'the method is not available' } }

const payment = fc.record<SimulatedPayment>({
  buyer: fc.constantFrom(...WALLETS),
  merchant: fc.constantFrom(...WALLETS),
  amount: fc.integer({ min: 0, max: 1_000 }),
  by: fc.constantFrom('authorization', 'authorization', 'permit2', 'transfer', 'other token'),
})
const transaction = fc.record({
  sender: fc.constantFrom(...WALLETS),
  payments: fc.array(payment, { minLength: 1, maxLength: 5 }),
})
/** Transactions of each block. */
const chainPlan = fc.array(fc.array(transaction, { maxLength: 8 }), { minLength: BLOCKS, maxLength: BLOCKS })

function refuse(...methods: readonly string[]): Behaviour {
  return (call, answer) => (methods.includes(call.method) ? refused : answer(call))
}

/** Changes the result of a method; a call for USDC's logs counts as `usdc`. */
function change(name: string, to: (result: never) => unknown, other: Behaviour = honest): Behaviour {
  return (call, answer, size) => {
    const filter = Object(call.params[0]) as { readonly address?: unknown }
    const method = typeof filter.address === 'string' ? 'usdc' : call.method
    const provided = other(call, answer, size)
    if (typeof provided !== 'object' || !('result' in provided) || method !== name) return provided
    const isFull = call.method !== 'eth_getBlockByNumber' || call.params[1] === true
    return isFull ? { result: to(provided.result as never) } : provided
  }
}

const noBlockReceipts = refuse('eth_getBlockReceipts')
const receiptsOf = (edit: (receipt: RawReceipt, at: number) => readonly unknown[]) =>
  change('eth_getBlockReceipts', (receipts: readonly RawReceipt[]) => receipts.flatMap(edit))
const logsOf = (edit: (logs: readonly RawLog[]) => unknown) => change('usdc', edit, noBlockReceipts)
const OTHER_HASH = `0x${'e'.repeat(64)}`

const NODES: Readonly<Record<string, Behaviour>> = {
  'supports everything': honest,
  'lacks block receipts': noBlockReceipts,
  'lacks both ways': (call, answer) =>
    call.method === 'eth_getBlockReceipts' || call.params[1] === true ? refused : answer(call),
  'returns null for the receipts of a block': change('eth_getBlockReceipts', () => null),
  'omits receipts of a block': receiptsOf((receipt, at) => (at % 3 === 1 ? [] : [receipt])),
  'omits the first logs in receipts of a block': receiptsOf((one) => [{ ...one, logs: one.logs.slice(1) }]),
  'omits the last logs in all receipts of a block but the last': change(
    'eth_getBlockReceipts',
    (receipts: readonly RawReceipt[]) =>
      receipts.map((one, at) => (at < receipts.length - 1 ? { ...one, logs: one.logs.slice(0, -1) } : one)),
  ),
  'returns block receipts with another sender': receiptsOf((one) => [
    { ...one, from: OTHER_HASH.slice(0, 42) as Address },
  ]),
  'returns block receipts of another block': receiptsOf((one) => [{ ...one, blockHash: OTHER_HASH }]),
  'accepts three blocks of logs of USDC': (call, answer) => {
    const { address, fromBlock, toBlock } = Object(call.params[0])
    if (typeof address === 'string' && Number(toBlock) - Number(fromBlock) >= 3) return refused
    return noBlockReceipts(call, answer, 1)
  },
  'returns logs of USDC backwards': logsOf((logs) => logs.toReversed()),
  'returns logs of USDC twice': logsOf((logs) => [...logs, ...logs]),
  'omits authorizations': logsOf((logs) => logs.filter(({ topics }) => topics[0] === TOPIC.transfer)),
  'omits transfers': logsOf((logs) => logs.filter(({ topics }) => topics[0] !== TOPIC.transfer)),
  'returns malformed logs of USDC': logsOf((logs) => logs.map((log) => ({ ...log, logIndex: 'x' }))),
  'returns blocks without transactions': change(
    'eth_getBlockByNumber',
    (block: object) => ({ ...block, transactions: [] }),
    noBlockReceipts,
  ),
  'returns blocks with another sender': change(
    'eth_getBlockByNumber',
    (block: { readonly transactions: readonly object[] }) => ({
      ...block,
      transactions: block.transactions.map((one) => ({ ...one, from: OTHER_HASH.slice(0, 42) })),
    }),
    noBlockReceipts,
  ),
}

for (const [name, behaviour] of Object.entries(NODES))
  test(`over any blocks, a node that ${name} yields the payments that its receipts yield one by one`, () =>
    fc.assert(
      fc.asyncProperty(chainPlan, async (blocks) => {
        const { expected, actual } = await readBothWays((block) => blocks[block] ?? [], behaviour)
        assert.deepEqual(actual, expected)
      }),
      { numRuns: 60 },
    ))

const DENSE: ChainPlan = (block) =>
  Array.from({ length: 9 }, (_, at) => ({
    sender: WALLETS[0] ?? '0x',
    payments: [
      {
        buyer: WALLETS[1] ?? '0x',
        merchant: WALLETS[2] ?? '0x',
        amount: 10 * block + at,
        by: 'authorization',
      },
    ],
  }))

test('dense blocks cost one call each, once the node was tried', async () => {
  for (const [behaviour, method] of [
    [honest, 'eth_getBlockReceipts'],
    [noBlockReceipts, 'eth_getBlockByNumber'],
  ] as const) {
    const { requested, actual } = await readBothWays(DENSE, behaviour)
    assert.equal(actual.payments.length, 9 * (BLOCKS - 1))
    assert.deepEqual(
      [requested.get('eth_getTransactionReceipt'), requested.get(method)],
      [1, 1 + (BLOCKS - 1)],
    )
  }
})

test('a way that a node refuses is not tried again', async () => {
  const ways = createReceiptWays()
  await readBothWays(DENSE, noBlockReceipts, ways)
  const { requested } = await readBothWays(DENSE, noBlockReceipts, ways)
  assert.equal(requested.get('eth_getBlockReceipts'), undefined)
})

test('a reorganisation between logs and receipts is noticed in each way', async () => {
  for (const behaviour of [honest, noBlockReceipts]) {
    const chain = createSimulatedChain(DENSE, OTHER_HASH as never, BLOCKS)
    const { rpc } = connect(chain, behaviour)
    const { transactions } = await findAll(rpc)
    chain.fork(BLOCKS - 3)
    const source = { rpc, contracts: BASE_CONTRACTS, facilitators: knownFacilitators(), clock: null }
    await assert.rejects(
      readPayments({ ...source, ways: createReceiptWays() }, transactions, signal),
      RetryableError,
    )
  }
})

/** Payments of all blocks by any way, and one by one from an honest node. */
async function readBothWays(plan: ChainPlan, behaviour: Behaviour, ways = createReceiptWays()) {
  const chain = createSimulatedChain(plan, OTHER_HASH as never, BLOCKS - 1)
  const { rpc, requested } = connect(chain, behaviour)
  const source = { contracts: BASE_CONTRACTS, facilitators: knownFacilitators(), clock: null }
  const { transactions } = await findAll(connect(chain, honest).rpc)
  const expected = await readPayments({ ...source, rpc: connect(chain, honest).rpc }, transactions, signal)
  const actual = await readPayments({ ...source, rpc, ways }, transactions, signal)
  return { expected, actual, requested }
}

function findAll(rpc: Rpc) {
  const range = { firstBlock: 1, endBlock: BLOCKS, announcing: announcingEvents(BASE_CONTRACTS) }
  return findAllTransactions({ rpc, range: createRangeSize() }, range, signal)
}

function connect(chain: ReturnType<typeof createSimulatedChain>, behaviour: Behaviour) {
  const requested = new Map<string, number>()
  const batch: Rpc['batch'] = async (requests) =>
    toResults(
      requests,
      requests.map((request, id) => {
        if (request.method !== 'eth_getBlockByNumber' || request.params[1] === true)
          requested.set(request.method, (requested.get(request.method) ?? 0) + 1)
        return behaviour({ ...request, id }, (call) => answerHonestly(chain, call), 1) as Answer
      }),
    )
  const rpc: Rpc = {
    batch,
    call: async (method, params, signal) => (await batch([{ method, params }], signal))[0],
  }
  return { rpc, requested }
}
