import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Address } from '@tollbook/chain/hex'
import { type DevChain, startDevChain } from '@tollbook/devchain/dev-chain'
import { testLedgerUrl } from '@tollbook/testing/ledger/open-test-ledger'
import { isExploring } from '@tollbook/testing/property'
import { sendCall, toAuthorizedTransfer, toBatch } from '@tollbook/testing/report/chain-payments'
import { openTestState } from '@tollbook/testing/state/open-test-state'
import type { MerchantReport } from '@tollbook/verify/build/merchant-report'
import pino from 'pino'
import type { ScreenedPayment } from './build/read-evidence.ts'
import { openEvidencePieces } from './evidence/evidence-pieces.ts'
import { openPipeline, type Pipeline } from './pipeline.ts'
import type { State } from './state/state.ts'

const FACILITATOR = `0x${'fa'.repeat(20)}` as const
const SHOP = `0x${'5a'.repeat(20)}` as const
const BAR = `0x${'5b'.repeat(20)}` as const
const signal = new AbortController().signal
const open: { close(): Promise<void> }[] = []
let chain: DevChain
let salt = 0

before(async () => {
  chain = await startDevChain({ port: 0, clock: 'stopped' })
  await chain.fundGas(FACILITATOR)
  // A window that begins before the chain is not complete.
  await chain.skipTime(7 * 86_400)
})
after(async () => {
  for (const each of open.reverse()) await each.close()
  await chain.close()
})

test('payments become reports, in one run or block by block', async () => {
  await pay([0, SHOP, 10_000n], [1, SHOP, 20_000n], [1, BAR, 5_000n])
  await pay([2, SHOP, 30_000n])
  await chain.skipTime(1)
  const stepwise = await openIndexer()
  for (let block = 0; block < 3; block++) {
    await stepwise.pipeline.indexToHead(signal)
    await pay([3, BAR, 7_000n])
  }
  await chain.skipTime(1)
  await stepwise.pipeline.indexToHead(signal)
  const published = await stepwise.pipeline.publish(signal)
  assert.deepEqual(published, { merchants: 2, written: 2, frozen: 0 })
  const reports = await readReports(stepwise.state)
  assert.deepEqual(
    reports.map(({ address, tx, usd, buyers, rank_by_real_revenue }) => [
      address,
      tx,
      usd,
      buyers,
      rank_by_real_revenue,
    ]),
    [
      // 10,000 + 20,000 + 30,000 micro-USDC; 5,000 + 3 * 7,000.
      [SHOP, 3, 0.06, 3, 1],
      [BAR, 4, 0.03, 2, 2],
    ],
  )
  assert.deepEqual(reports.at(0)?.window.complete, true)

  const atOnce = await openIndexer()
  await atOnce.pipeline.indexToHead(signal)
  await atOnce.pipeline.publish(signal)
  assert.deepEqual(await readReports(atOnce.state), reports)
})

/** `npm run explore` tests every depth up to 64. */
const DEPTHS = isExploring
  ? Array.from({ length: 64 }, (_, at) => at + 1)
  : [1, 2, 3, 4, 5, 6, 16, 31, 32, 33, 63, 64]

test('a reorganisation of any depth from 1 to 64 leaves exactly the payments of the canonical chain', async () => {
  const { pipeline, state } = await openIndexer()
  await pay([0, SHOP, 1n])
  for (const depth of DEPTHS) {
    const snapshot = await chain.rpc.call('evm_snapshot')
    await grow(depth, [4, SHOP, BigInt(depth)])
    // Sometimes the chain is also read before the end of the orphaned blocks.
    if (depth % 2 === 0) await pipeline.indexToHead(signal)
    await pay([4, BAR, 1_000n])
    await pipeline.indexToHead(signal)
    await chain.rpc.call('evm_revert', [snapshot])
    // The canonical chain is shorter, as long, or longer.
    await grow(depth + (depth % 3) - 1, [5, SHOP, BigInt(100 + depth)])
    await pipeline.indexToHead(signal)
  }
  await chain.skipTime(1)
  await pipeline.indexToHead(signal)
  await pipeline.publish(signal)
  const fresh = await openIndexer()
  await fresh.pipeline.indexToHead(signal)
  await fresh.pipeline.publish(signal)
  assert.deepEqual(await readReports(state), await readReports(fresh.state))
  const evidence = await readEvidence(pipeline, SHOP)
  assert.deepEqual(evidence, await readEvidence(fresh.pipeline, SHOP))
  // Each reorganisation leaves one payment of 101 to 164, and orphans one of 1 to 64.
  const ofFive = evidence.filter(({ amount }) => amount > 100n && amount <= 164n)
  assert.equal(ofFive.length, DEPTHS.length)
  assert.equal(evidence.filter(({ amount }) => amount <= 64n && amount > 1n).length, 0)
})

test('rows written by a process that died before it could cover them are neither lost nor duplicated', async () => {
  const { pipeline, state } = await openIndexer()
  await pay([6, SHOP, 4_000n])
  await pay([7, SHOP, 6_000n])
  // The last action of a dying process: the rows are in the ledger, and no coverage refers to them.
  const dying = dyingState(state)
  const second = await openIndexer(dying)
  await assert.rejects(second.pipeline.indexToHead(signal), /died/)
  assert.equal(await countWriting(state), 1)
  await second.pipeline.close()

  const third = await openIndexer(state)
  assert.equal(await countWriting(state), 0)
  await chain.skipTime(1)
  await third.pipeline.indexToHead(signal)
  await third.pipeline.publish(signal)
  await pipeline.close()
  const fresh = await openIndexer()
  await fresh.pipeline.indexToHead(signal)
  await fresh.pipeline.publish(signal)
  assert.deepEqual(await readReports(state), await readReports(fresh.state))
})

type PaymentOf = readonly [payer: number, to: Address, amount: bigint]

/** One block with one transaction that contains the payments. */
async function pay(...payments: readonly PaymentOf[]): Promise<void> {
  const calls = payments.map(([payer, to, amount]) =>
    toAuthorizedTransfer({ payer, to, amount, salt: String(salt++) }),
  )
  const [only, ...more] = await Promise.all(calls)
  if (only) await sendCall(chain, FACILITATOR, more.length === 0 ? only : toBatch([only, ...more]))
}

/** This many blocks, the first with a payment. */
async function grow(blocks: number, payment: PaymentOf): Promise<void> {
  await pay(payment)
  if (blocks > 1) await chain.rpc.call('anvil_mine', [`0x${(blocks - 1).toString(16)}`])
}

async function openIndexer(shared?: State): Promise<{ pipeline: Pipeline; state: State }> {
  const state = shared ?? (await openTestState())
  if (!shared) {
    open.push(state)
  }
  const pipeline = await openPipeline(
    {
      state,
      ledgerUrl: testLedgerUrl(),
      archive: openEvidencePieces(state, () => new Date()),
      rpcUrls: [chain.rpcUrl],
      head: 'latest',
      finalHead: 'latest',
      firstBlock: 0,
      moreFacilitators: [FACILITATOR],
      listingSources: [],
      fetch: () => Promise.reject(new Error('no source is read here')),
      baseUrl: 'https://report.example',
      pollMs: 100,
      publishSeconds: 1,
      logger: pino({ level: 'silent' }),
      now: () => new Date(Date.UTC(2026, 10, 15)),
    },
    signal,
  )
  return { pipeline, state }
}

async function readReports(state: State): Promise<readonly MerchantReport[]> {
  const rows = await state.db
    .selectFrom('report_texts')
    .select('body')
    .where('edition', '=', 'rolling')
    .execute()
  const reports = rows.map(({ body }) => JSON.parse(body) as MerchantReport)
  return reports.sort((a, b) => (a.rank_by_real_revenue ?? 0) - (b.rank_by_real_revenue ?? 0))
}

async function readEvidence({ evidence }: Pipeline, merchant: Address): Promise<readonly ScreenedPayment[]> {
  const rows: ScreenedPayment[] = []
  const window = { startBlock: 0, endBlock: 1_000_000, start: 0, end: 4_000_000_000 }
  for await (const row of evidence.payments({ merchant, window }, signal)) rows.push(row)
  return rows
}

async function countWriting(state: State): Promise<number> {
  const rows = await state.db
    .selectFrom('index_chunk')
    .select('attempt')
    .where('status', '=', 'writing')
    .execute()
  return rows.length
}

/** The same state, whose next transaction never begins. */
function dyingState(state: State): State {
  const db = new Proxy(state.db, {
    get(target, name) {
      if (name === 'transaction') throw new Error('the process died')
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  return { ...state, db }
}
