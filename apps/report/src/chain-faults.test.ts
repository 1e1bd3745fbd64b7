import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Hex } from '@tollbook/chain/hex'
import { createReadRpc } from '@tollbook/chain/rpc/read-rpc'
import { randomChain } from '@tollbook/testing/ledger/open-test-ledger'
import { createSimulatedChain, type RawLog, type RawReceipt } from '@tollbook/testing/simulated-chain/chain'
import { indexSimulated, type Simulated } from '@tollbook/testing/simulated-chain/index-simulated'
import { type Answer, type Behaviour, startSimulatedNode } from '@tollbook/testing/simulated-chain/node'
import { numberWithinTransactions } from '@tollbook/testing/simulated-chain/number-within-transactions'
import { smallPlan } from '@tollbook/testing/simulated-chain/small-plan'
import { BASE_CONTRACTS } from '@tollbook/verify/chain/contracts'
import { createRangeSize } from '@tollbook/verify/chain/range-size'
import { type Chain, readStep } from './chain/follow.ts'

/** 211 blocks: more than any node here accepts at once. */
const FIRST = 1_390
/** 501 blocks with 1,059 payments: more than the round number at which responses are truncated. */
const FIRST_OF_MANY = 1_100
const HEAD = 1_600

type World = {
  readonly node: Node
  readonly other: Node
  readonly chain: ReturnType<typeof createSimulatedChain>
}
type Node = Awaited<ReturnType<typeof startSimulatedNode>>

/** Two nodes of one chain that is not indexed yet; the second is honest unless configured otherwise. */
async function inWorld<T>(use: (world: World) => Promise<T>): Promise<T> {
  const chain = createSimulatedChain(smallPlan, randomChain(), HEAD)
  const [node, other] = [await startSimulatedNode(chain), await startSimulatedNode(chain)]
  try {
    return await use({ node, other, chain })
  } finally {
    await Promise.all([node.close(), other.close()])
  }
}

const undisturbed = inWorld(({ node }) => indexSimulated({ urls: [node.url], firstBlock: FIRST }))

test('an undisturbed run finds every payment of the plan', async () => {
  const { rows, firstBlock, endBlock } = await undisturbed
  const planned = Array.from({ length: HEAD + 1 - FIRST }, (_, at) => smallPlan(FIRST + at, 0))
    .flat()
    .flatMap(({ payments }) => payments.map(({ amount }) => amount))
  assert.deepEqual(
    rows.map((row) => Number(row.split(' ')[6])).sort((a, b) => a - b),
    planned.sort((a, b) => a - b),
  )
  assert.deepEqual([firstBlock, endBlock], [FIRST, HEAD + 1])
})

/** Transforms the logs of a range. */
function withLogs(change: (logs: RawLog[], at: { first: number; last: number }) => unknown): Behaviour {
  return (call, honest) => {
    const answer = honest(call)
    if (call.method !== 'eth_getLogs' || !('result' in answer)) return answer
    const filter = call.params[0] as { fromBlock: string; toBlock: string }
    const at = { first: Number(filter.fromBlock), last: Number(filter.toBlock) }
    return { result: change(answer.result as RawLog[], at) }
  }
}

/** Transforms receipts, which the node returns one by one only. */
function withReceipts(change: (receipt: RawReceipt) => unknown): Behaviour {
  return (call, honest) => {
    const answer = honest(call)
    const isInBulk = call.method === 'eth_getBlockReceipts' || call.params[1] === true
    if (isInBulk) return refuse(-32601, 'the method is not available')
    if (call.method !== 'eth_getTransactionReceipt' || !('result' in answer)) return answer
    return { result: change(answer.result as RawReceipt) }
  }
}

function refuse(code: number, message: string): Answer {
  return { error: { code, message } }
}

function rangeOf(call: { readonly method: string; readonly params: readonly unknown[] }): number {
  if (call.method !== 'eth_getLogs') return 0
  const { fromBlock, toBlock } = call.params[0] as { fromBlock: string; toBlock: string }
  return Number(toBlock) - Number(fromBlock) + 1
}

/** A single node, and how it distorts the honest responses. */
const ALONE: Readonly<Record<string, Behaviour>> = {
  'returns logs twice and backwards': withLogs((logs) => [...logs, ...logs].reverse()),
  'accepts ten blocks at once, like a free plan': (call, honest) =>
    rangeOf(call) > 10
      ? refuse(-32600, 'you can make eth_getLogs requests with up to a 10 block range')
      : honest(call),
  'rejects more than 50 logs': (call, honest) => {
    const answer = honest(call)
    const isTooMuch = 'result' in answer && Array.isArray(answer.result) && answer.result.length > 50
    return isTooMuch ? refuse(-32005, 'query returned more than 50 results') : answer
  },
  'answers a gateway error to more than 100 blocks': (call, honest) =>
    rangeOf(call) > 100 ? 504 : honest(call),
  'rejects batches of more than three': (call, honest, size) =>
    size > 3 ? refuse(-32600, 'batch of more than 3 requests') : honest(call),
  'rejects batches of more than seven as too large': (call, honest, size) => (size > 7 ? 413 : honest(call)),
}
for (const [name, behaviour] of Object.entries(ALONE))
  test(`a node that ${name} produces the same ledger`, () =>
    inWorld(async ({ node }) => {
      node.behave(behaviour)
      await isSame({ urls: [node.url], firstBlock: FIRST })
    }))

test('a node that truncates responses at 1,000 logs produces the same ledger', () =>
  inWorld(async ({ node }) => {
    const many = { urls: [node.url], firstBlock: FIRST_OF_MANY }
    const { rows } = await indexSimulated(many)
    assert(rows.length > 1_000)
    const { node: own, rows: cut } = await inWorld(async (second) => {
      second.node.behave(withLogs((logs) => (logs.length > 1_000 ? logs.slice(0, 1_000) : logs)))
      return { node: second.node, ...(await indexSimulated({ ...many, urls: [second.node.url] })) }
    })
    assert.deepEqual(cut, rows)
    assert(own.ranges.length > 1)
  }))

test('a node that answers 429 to every third request is queried again after its Retry-After', () =>
  inWorld(async ({ node }) => {
    let requests = 0
    node.behave((call, honest) => (call.id === 0 && ++requests % 3 === 0 ? 429 : honest(call)))
    await isSame({ urls: [node.url], firstBlock: FIRST })
    assert(requests > 10)
  }))

test('a node that hangs on more than 200 blocks receives smaller requests', () =>
  inWorld(async ({ node }) => {
    node.behave((call, honest) => (rangeOf(call) > 200 ? 'hang' : honest(call)))
    await isSame({ urls: [node.url], firstBlock: FIRST, timeoutMs: 250 })
  }))

/** The first of two nodes returns impossible responses; the second takes over. */
const REPLACED: Readonly<Record<string, Behaviour>> = {
  'returns logs from outside the range': withLogs((logs) =>
    logs.map((log) => ({ ...log, blockNumber: '0x5' })),
  ),
  'returns logs of another contract': withLogs((logs) =>
    logs.map((log) => ({ ...log, address: `0x${'99'.repeat(20)}` })),
  ),
  'returns null for logs': withLogs(() => null),
  'numbers logs within each transaction': numberWithinTransactions,
  'returns something other than JSON-RPC': () => ({ result: undefined }),
  'is down': () => 502,
  'omits a log in the middle of receipts': withReceipts((receipt) =>
    receipt.logs.length > 3 ? { ...receipt, logs: receipt.logs.toSpliced(2, 1) } : receipt,
  ),
  'omits the last log of receipts': withReceipts((receipt) => ({
    ...receipt,
    logs: receipt.logs.slice(0, -1),
  })),
  'has no receipts': withReceipts(() => null),
  'returns the receipts of other transactions': withReceipts((receipt) => ({
    ...receipt,
    transactionHash: `0x${'1'.repeat(64)}`,
  })),
  'returns wrong block times': (call, honest) => {
    const answer = honest(call)
    if (call.method !== 'eth_getBlockByNumber' || !('result' in answer) || call.params[0] === '0x0')
      return answer
    return { result: { ...(answer.result as object), timestamp: '0x5' } }
  },
  'lacks the end of the range, and has fewer logs': (call, honest) => {
    const answer = honest(call)
    if (call.method === 'eth_getLogs' && 'result' in answer)
      return { result: (answer.result as RawLog[]).slice(0, 5) }
    return call.method === 'eth_getBlockByNumber' && /^0x[1-9]/.test(String(call.params[0]))
      ? { result: null }
      : answer
  },
}
for (const [name, behaviour] of Object.entries(REPLACED))
  test(`a node that ${name} is set aside, and the next one produces the same ledger`, () =>
    inWorld(async ({ node, other }) => {
      node.behave(behaviour)
      const { troubles } = await isSame({ urls: [node.url, other.url], firstBlock: FIRST })
      assert.equal(troubles[0]?.node, 'chain RPC 1 of 2')
      for (const { error } of troubles) assert.doesNotMatch(error.message, /127\.0\.0\.1/)
    }))

test('a node of another chain is never used, although it answers first', () =>
  inWorld(async ({ chain, other }) => {
    const sepolia = await startSimulatedNode(chain, { chainId: 84_532 })
    const { troubles } = await isSame({ urls: [sepolia.url, other.url], firstBlock: FIRST })
    await sepolia.close()
    assert.equal(troubles[0]?.restMs, null)
    assert.equal(sepolia.asked.get('eth_getLogs'), undefined)
  }))

test('a node with a different block 0 is never used as the second one', () =>
  inWorld(async ({ node, other }) => {
    node.behave((call, honest) => (call.method === 'eth_getLogs' ? 502 : honest(call)))
    const stranger = await startSimulatedNode(createSimulatedChain(smallPlan, randomChain(), HEAD))
    await isSame({ urls: [node.url, stranger.url, other.url], firstBlock: FIRST })
    await stranger.close()
    assert.equal(stranger.asked.get('eth_getLogs'), undefined)
  }))

test('if a node hides every seventh payment, the cross-check finds all of them', () =>
  inWorld(async ({ node, other }) => {
    node.behave(withLogs((logs) => logs.filter((_, at) => at % 7 !== 0)))
    await isSame({ urls: [node.url, other.url], firstBlock: FIRST, isCrossChecked: true })
    await isSame({ urls: [other.url, node.url], firstBlock: FIRST, isCrossChecked: true })
  }))

test('a first node that stops advancing is replaced by one that is further ahead', () =>
  inWorld(async ({ chain, other }) => {
    const late = createSimulatedChain(smallPlan, genesisOf(chain), HEAD - 100)
    const lagging = await startSimulatedNode(late)
    const { troubles } = await isSame({ urls: [lagging.url, other.url], firstBlock: FIRST })
    await lagging.close()
    assert.equal(troubles[0]?.error.name, 'NodeBehind')
  }))

test('a node that ends before the blocks already read is not a reorganisation', () =>
  inWorld(async ({ node, chain }) => {
    const { signal } = new AbortController()
    const source: Chain = {
      rpc: createReadRpc({ url: node.url }),
      range: createRangeSize(),
      head: 'safe',
      isCrossChecked: false,
      contracts: BASE_CONTRACTS,
      facilitators: new Set(),
      clock: null,
      now: () => new Date(),
      findWitness: () => Promise.resolve(null),
    }
    const start = { firstBlock: FIRST, nextBlock: FIRST, checkpoints: [] }
    const step = await readStep(source, start, signal)
    assert(step.kind === 'blocks')
    const position = { ...start, nextBlock: step.endBlock, checkpoints: [step.checkpoint] }
    chain.head = step.checkpoint.number - 1
    await assert.rejects(readStep(source, position, signal), { name: 'NodeBehind' })
    chain.head = HEAD
    assert.equal((await readStep(source, position, signal)).kind, 'blocks')
    chain.fork(step.checkpoint.number)
    assert.deepEqual(await readStep(source, position, signal), { kind: 'reorganised', nextBlock: FIRST })
  }))

for (const at of ['the middle', 'the end'] as const)
  test(`a reorganisation 64 deep at ${at} of a backfill leaves the ledger of the canonical chain`, () =>
    inWorld(async ({ node, chain }) => {
      const fresh = await inWorld(async (second) => {
        second.chain.fork(HEAD - 63)
        return indexSimulated({ urls: [second.node.url], firstBlock: FIRST })
      })
      let hasForked = false
      const fork = () => {
        if (!hasForked) chain.fork(HEAD - 63)
        hasForked = true
      }
      const result = await indexSimulated({
        urls: [node.url],
        firstBlock: FIRST,
        atHead: fork,
        // At this point one chunk of the last blocks is written, and the next is being fetched.
        onProgress: ({ endBlock }) => {
          if (at === 'the middle' && endBlock > HEAD - 100) fork()
        },
      })
      assert.deepEqual(result.rows, fresh.rows)
      assert.notDeepEqual(result.rows, (await undisturbed).rows)
      assert.equal(result.endBlock, HEAD + 1)
      // 64 blocks changed, and a chunk near the head has 64.
      const blocks = node.ranges.reduce((sum, [first, last]) => sum + last + 1 - first, 0)
      assert(blocks <= HEAD + 1 - FIRST + 3 * 64, `${blocks} blocks were read`)
    }))

async function isSame(options: Simulated) {
  const expected = await undisturbed
  const result = await indexSimulated(options)
  assert.deepEqual([result.firstBlock, result.endBlock], [expected.firstBlock, expected.endBlock])
  assert.deepEqual(result.rows, expected.rows)
  return result
}

function genesisOf(chain: World['chain']): Hex {
  return String(chain.block(0)?.hash) as Hex
}
