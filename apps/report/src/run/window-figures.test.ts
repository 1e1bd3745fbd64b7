import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { readBlock } from '@tollbook/chain/blocks'
import type { Address } from '@tollbook/chain/hex'
import type { Rpc } from '@tollbook/chain/rpc/rpc'
import { type DevChain, startDevChain } from '@tollbook/devchain/dev-chain'
import { openTestLedger } from '@tollbook/testing/ledger/open-test-ledger'
import {
  clientAccount,
  sendCall,
  toAuthorizedTransfer,
  toPlainTransfer,
} from '@tollbook/testing/report/chain-payments'
import { openTestState } from '@tollbook/testing/state/open-test-state'
import { toWindow } from '@tollbook/verify/build/window'
import { BASE_CONTRACTS } from '@tollbook/verify/chain/contracts'
import { createRangeSize } from '@tollbook/verify/chain/range-size'
import { NO_SCREEN_INPUTS } from '@tollbook/verify/screen/screen'
import { SCREENS } from '@tollbook/verify/screen/screens'
import { loadLabelList } from '../build/label-list.ts'
import { openNodes } from '../chain/nodes.ts'
import * as coverage from '../ledger/coverage/coverage.ts'
import { createIndexer, type Indexer } from '../pipeline/indexing.ts'
import type { State } from '../state/state.ts'
import { type ReadingOptions, readWindowFigures } from './window-figures.ts'

const FACILITATOR = `0x${'fa'.repeat(20)}` as const
const SHOP = `0x${'5a'.repeat(20)}` as const
const BAR = `0x${'5b'.repeat(20)}` as const
const LOOP = `0x${'5c'.repeat(20)}` as const
const EXCHANGE = `0x${'e4'.repeat(20)}` as const
const signal = new AbortController().signal
const method = { screens: SCREENS, inputs: NO_SCREEN_INPUTS, listedPayees: new Set<Address>() }
let chain: DevChain
let state: State
let indexer: Indexer
let rpc: Rpc
let preparing: ReadingOptions

before(async () => {
  chain = await startDevChain({ port: 0, clock: 'stopped' })
  for (const wallet of [FACILITATOR, SHOP, BAR, LOOP, EXCHANGE, clientAccount(4).address])
    await chain.fundGas(wallet)
  // A window that begins before the chain is not complete.
  await chain.skipTime(7 * 86_400)
  state = await openTestState()
  const nodes = await openNodes({ urls: [chain.rpcUrl] }, signal)
  const genesis = nodes.genesis.hash
  const ledger = await openTestLedger(genesis)
  const now = () => new Date(Date.UTC(2026, 10, 15))
  preparing = {
    state,
    chain: genesis,
    ledger,
    nodes,
    range: createRangeSize(),
    usdc: BASE_CONTRACTS.usdc,
    now,
  }
  await coverage.startCoverage(preparing, 0, now())
  const target = { state, chain: genesis, ledger, nodes, now }
  const facilitators = new Set([FACILITATOR])
  indexer = createIndexer({ ...target, head: 'latest', facilitators, isCrossChecked: false })
  rpc = nodes.rpc
})
after(async () => {
  await preparing.ledger.close()
  await state.close()
  await chain.close()
})

test("a buyer that gets half of its money back is flagged, once the merchant's transfers were read", async () => {
  const [ann, ben] = [clientAccount(1).address, clientAccount(2).address]
  await pay(1, SHOP, 30_000n)
  await pay(2, SHOP, 40_001n)
  await pay(1, BAR, 50_000n)
  // Half of what Ann paid, and half a micro-USDC less than half of what Ben paid.
  await sendCall(chain, SHOP, toPlainTransfer(ann, 15_000n))
  await sendCall(chain, SHOP, toPlainTransfer(ben, 20_000n))

  const unread = await figuresOf({ outflowBudgetMs: 0 })
  assert.deepEqual([unread.window.isComplete, unread.isFinal], [false, false])
  assert.deepEqual(
    unread.merchants.map(({ rank, flags }) => [rank, flags]),
    [
      [null, []],
      [null, []],
    ],
  )
  const { window, merchants, isFinal } = await figuresOf()
  assert.deepEqual([window.isComplete, isFinal], [true, true])
  assert.deepEqual(
    merchants.map(({ address, rank, tx, realAmount, flags }) => [address, rank, tx, realAmount, flags]),
    [
      [BAR, 1, 1, 50_000n, []],
      [SHOP, 2, 2, 40_001n, [{ kind: 'round_trip', tx: 1, amount: 30_000n }]],
    ],
  )
  assert(merchants.every((merchant) => !('exchangeFlowNote' in merchant)))
})

test('money that goes round over other wallets is followed, and the window waits until it was read', async () => {
  const [mule, dora] = [clientAccount(4).address, clientAccount(5).address]
  await pay(1, LOOP, 700_000n)
  await sendCall(chain, LOOP, toPlainTransfer(mule, 700_000n))
  await sendCall(chain, mule, toPlainTransfer(dora, 650_000n))
  await pay(5, LOOP, 600_000n)
  // Ben pays with his own money.
  await pay(2, LOOP, 500_000n)

  const unread = await figuresOf({ flowBudgetMs: 0 })
  assert.deepEqual([unread.window.isComplete, unread.isFinal], [false, false])
  const { window, merchants, followed, isFinal } = await figuresOf()
  assert.deepEqual([window.isComplete, isFinal], [true, true])
  const loop = merchants.find(({ address }) => address === LOOP)
  assert.deepEqual(loop?.flags, [{ kind: 'funded_by_merchant', tx: 1, amount: 600_000n }])
  assert.deepEqual([loop?.amount, loop?.realAmount], [1_800_000n, 1_200_000n])
  assert.deepEqual(followed.get(LOOP)?.wallets, [mule, dora].map((each) => each.toLowerCase()).sort())
  assert.equal(followed.get(BAR), undefined)
})

test('a label list identifies merchants that were paid with money from exchanges', async () => {
  const [ann, carl] = [clientAccount(1).address, clientAccount(3).address]
  // Each wallet of the dev chain received 1,000 USDC in this week: 1,001 from the exchange are more than
  // half.
  for (const rich of [8, 9])
    await sendCall(chain, clientAccount(rich).address, toPlainTransfer(EXCHANGE, 501_000_000n))
  await pay(3, BAR, 50_000n)
  await sendCall(chain, EXCHANGE, toPlainTransfer(carl, 1_001_000_000n))
  await sendCall(chain, clientAccount(9).address, toPlainTransfer(ann, 2_000_000n))
  const folder = mkdtempSync(join(tmpdir(), 'tollbook-labels-'))
  try {
    const file = join(folder, 'labels.json')
    const wallet = {
      address: EXCHANGE,
      label: 'Example',
      kind: 'exchange',
      source: 'https://exchange.example',
    }
    writeFileSync(file, JSON.stringify({ version: '7', wallets: [wallet] }))
    const labels = loadLabelList(file)
    const { merchants, isFinal } = await figuresOf({ labels })
    assert(isFinal)
    const notes = new Map(merchants.map(({ address, exchangeFlowNote }) => [address, exchangeFlowNote]))
    // Carl paid 0.05 of 0.10 dollars.
    assert.match(notes.get(BAR) ?? '', /^50% of the reported dollars/)
    assert.equal(notes.get(SHOP), null)
  } finally {
    rmSync(folder, { recursive: true })
  }
})

async function figuresOf(more: Partial<ReadingOptions> = {}) {
  await chain.skipTime(1)
  await indexer.indexToHead(signal)
  const head = await readBlock(rpc, 'latest', signal)
  assert(head)
  const covered = await coverage.readCoverage(preparing)
  const end = { endBlock: head.number, end: head.timestamp, finalHead: head.number }
  const window = toWindow({ ...end, coverage: covered, indexedSince: chain.genesisSeconds })
  return readWindowFigures({ ...preparing, ...more }, { window, coverage: covered, method }, signal)
}

let salt = 0

async function pay(payer: number, to: Address, amount: bigint): Promise<void> {
  salt++
  await sendCall(chain, FACILITATOR, await toAuthorizedTransfer({ payer, to, amount, salt: `flow ${salt}` }))
}
