import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { Hex } from '@tollbook/chain/hex'
import { onEveryLedger } from '@tollbook/testing/ledger/every-ledger'
import { openTestLedger, randomChain } from '@tollbook/testing/ledger/open-test-ledger'
import { fc } from '@tollbook/testing/property'
import { openTestState } from '@tollbook/testing/state/open-test-state'
import type { Payment } from '@tollbook/verify/chain/payment'
import { PAYMENT_CHUNKS } from '../chunk-journal.ts'
import { beginAttempt, cover, readCoverage, readPosition, startCoverage } from '../coverage/coverage.ts'
import type { Ledger } from '../ledger.ts'
import { exportPayments } from './export-payments.ts'
import { importPayments } from './import-payments.ts'
import { type Manifest, manifestPathOf, readManifest } from './manifest.ts'
import { convertToCsv } from './parquet.ts'
import { readPayments } from './read-payments.ts'

const NOW = new Date(Date.UTC(2026, 10, 15))
const LAST_HASH: Hex = `0x${'e'.repeat(64)}`
const signal = new AbortController().signal
const onProgress = () => {}
const now = () => NOW

const bytes = (size: number) =>
  fc
    .uint8Array({ minLength: size, maxLength: size })
    .map((list): Hex => `0x${Buffer.from(list).toString('hex')}`)
const row = fc.record({
  transaction: bytes(32),
  buyer: bytes(20),
  merchant: bytes(20),
  facilitator: bytes(20),
  amount: fc.bigInt(0n, 2n ** 64n - 1n),
  evidence: fc.integer({ min: 0, max: 255 }),
  fee: fc.option(fc.bigInt(1n, 2n ** 64n - 1n), { nil: undefined }),
})
/** Two payments in every other block from 100 to 299. */
const PAYMENTS: readonly Payment[] = fc.sample(row, 200).map(({ fee, ...each }, at) => ({
  ...each,
  ...(fee !== undefined && { fee }),
  blockNumber: 100 + (at >> 1) * 2,
  logIndex: (at & 1) * 7,
  timestamp: 1_794_000_000 + (at >> 1) * 4,
}))

for (const format of ['csv', 'parquet'] as const) {
  onEveryLedger(`payments exported as ${format} and imported elsewhere are the same`, async ({ open }, t) => {
    const from = await openIndex(open, t)
    await read(from, { first: 90, ends: [150, 151, 310], payments: PAYMENTS })
    const file = join(await makeFolder(t), `payments.${format}`)
    const range = { firstBlock: 95, endBlock: 305 }
    const exported = await exportPayments(
      { ...from, range, lastBlockHash: LAST_HASH, format, file, onProgress },
      signal,
    )
    assert.equal(exported.payments, 200)
    assert.deepEqual(await readManifest(file), exported)
    if (format === 'parquet') assert.equal((await readFile(file)).subarray(0, 4).toString(), 'PAR1')

    const to = await openIndex(open, t, from.chain)
    const csv = format === 'csv' ? file : `${file}.csv`
    if (format === 'parquet') await convertToCsv({ from: file, to: csv }, signal)
    const again = { ...to, csv, manifest: exported, onProgress, now }
    assert.deepEqual(await importPayments(again, signal), { imported: 200, alreadyThere: 0 })
    assert.deepEqual(await shown(to), PAYMENTS)
    assert.equal(await PAYMENT_CHUNKS.findDamage({ ...to, now: NOW }, signal), null)
    assert.deepEqual(await readPosition(to), {
      firstBlock: 95,
      nextBlock: 305,
      checkpoints: [{ number: 304, hash: LAST_HASH }],
    })
    // Repeating it changes nothing.
    const before = await readCoverage(to)
    assert.deepEqual(await importPayments(again, signal), { imported: 0, alreadyThere: 200 })
    assert.deepEqual(await readCoverage(to), before)
  })
}

onEveryLedger('an interrupted import resumes, and an import may be prepended', async ({ open }, t) => {
  const from = await openIndex(open, t)
  await read(from, { first: 100, ends: [300], payments: PAYMENTS })
  const folder = await makeFolder(t)
  const cut = async (firstBlock: number, endBlock: number) => {
    const file = join(folder, `${firstBlock}.csv`)
    const range = { firstBlock, endBlock }
    const options = {
      ...from,
      range,
      lastBlockHash: LAST_HASH,
      format: 'csv' as const,
    }
    return { csv: file, manifest: await exportPayments({ ...options, file, onProgress }, signal) }
  }
  const to = await openIndex(open, t, from.chain)
  const options = { ...to, onProgress, now }
  const middle = await cut(200, 250)
  await importPayments({ ...options, ...middle }, signal)
  // 25 blocks with two payments each are already stored.
  const all = await cut(200, 300)
  assert.deepEqual(await importPayments({ ...options, ...all }, signal), { imported: 50, alreadyThere: 50 })
  const before = await cut(100, 200)
  assert.deepEqual(await importPayments({ ...options, ...before }, signal), {
    imported: 100,
    alreadyThere: 0,
  })
  assert.deepEqual(await shown(to), PAYMENTS)
  assert.equal((await readPosition(to)).firstBlock, 100)
})

test('files that do not fit are rejected and change nothing', async (t) => {
  const from = await openIndex(openTestLedger, t)
  await read(from, { first: 100, ends: [300], payments: PAYMENTS })
  const file = join(await makeFolder(t), 'payments.csv')
  const range = { firstBlock: 150, endBlock: 250 }
  const common = { ...from, lastBlockHash: LAST_HASH, format: 'csv' as const }
  const manifest = await exportPayments({ ...common, range, file, onProgress }, signal)
  await assert.rejects(
    exportPayments({ ...common, range: { firstBlock: 99, endBlock: 120 }, file, onProgress }, signal),
    /holds blocks 100 to 299, not all from 99 to 119/,
  )

  const refuse = async (
    reason: RegExp,
    given: { first: number; end: number },
    payments: readonly Payment[],
  ) => {
    const to = await openIndex(openTestLedger, t, from.chain)
    await read(to, { first: given.first, ends: [given.end], payments })
    const coverage = await readCoverage(to)
    await assert.rejects(importPayments({ ...to, csv: file, manifest, onProgress, now }, signal), reason)
    assert.deepEqual(await readCoverage(to), coverage)
    assert.deepEqual(await shown(to), payments)
  }
  await refuse(
    /covers blocks 10 to 19, the file contains 150 to 249: importing it would leave a gap/,
    { first: 10, end: 20 },
    [],
  )
  await refuse(/a gap/, { first: 251, end: 260 }, [])
  await refuse(/they overlap; import a file that ends before block 200/, { first: 200, end: 260 }, [])
  await refuse(/already covers block 150 with payments that differ/, { first: 140, end: 200 }, [])
  const [more] = PAYMENTS
  assert(more)
  const other = [...PAYMENTS.filter(inside(150, 200)), { ...more, blockNumber: 199, logIndex: 1 }]
  await refuse(
    /already covers block 200 with payments|covers blocks 150 to 199 with payments/,
    { first: 150, end: 200 },
    other,
  )

  const elsewhere = await openIndex(openTestLedger, t)
  await assert.rejects(
    importPayments({ ...elsewhere, csv: file, manifest, onProgress, now }, signal),
    /payments of another chain/,
  )
})

test('a modified file and one without a manifest are rejected', async (t) => {
  const from = await openIndex(openTestLedger, t)
  await read(from, { first: 100, ends: [300], payments: PAYMENTS })
  const file = join(await makeFolder(t), 'payments.csv')
  const range = { firstBlock: 100, endBlock: 300 }
  const common = { ...from, lastBlockHash: LAST_HASH, format: 'csv' as const }
  const manifest = await exportPayments({ ...common, range, file, onProgress }, signal)
  const text = await readFile(file, 'utf8')
  const write = async (changed: string) => {
    await writeFile(file, changed)
    const to = await openIndex(openTestLedger, t)
    const own: Manifest = { ...manifest, chain: to.chain }
    return importPayments({ ...to, csv: file, manifest: own, onProgress, now }, signal)
  }
  const lines = text.split('\r\n')
  const [header = '', first = '', second = '', ...rest] = lines
  await assert.rejects(write([header, second, first, ...rest].join('\r\n')), /line 3 is out of order/)
  await assert.rejects(write([header, first, first, second, ...rest].join('\r\n')), /line 3 is out of order/)
  await assert.rejects(write([header, first, second].join('\r\n')), /does not contain the 200 payments/)
  await assert.rejects(write([header, first.toUpperCase()].join('\r\n')), /line 2 is not a payment/)
  await assert.rejects(write(text.slice(header.length)), /the first line is not block,log_index/)
  await assert.rejects(readManifest(file), /SHA-256 differs/)
  await rm(manifestPathOf(file))
  await assert.rejects(readManifest(file), /missing or not a manifest/)
  assert.ok((await stat(file)).size > 0)
})

type Index = Awaited<ReturnType<typeof openIndex>>

async function openIndex(open: (chain?: Hex) => Promise<Ledger>, t: TestContext, genesis?: Hex) {
  const state = await openTestState()
  t.after(() => state.close())
  const chain = genesis ?? randomChain()
  // Two ledgers of one chain share their tables here; their attempts separate them.
  return { state, chain, ledger: await open(chain) }
}

/** Simulates an indexer, in chunks that end before these blocks. */
async function read(
  index: Index,
  { first, ends, payments }: { first: number; ends: readonly number[]; payments: readonly Payment[] },
): Promise<void> {
  await startCoverage(index, first, NOW)
  let firstBlock = first
  for (const endBlock of ends) {
    const range = { firstBlock, endBlock }
    const own = payments.filter(inside(firstBlock, endBlock))
    const attempt = await beginAttempt(index, range, NOW)
    await index.ledger.insert(attempt, own, signal)
    const checkpoint = { number: endBlock - 1, hash: LAST_HASH }
    await cover(index, { ...range, attempt, checkpoint, payments: own.length, misses: 0 }, NOW)
    firstBlock = endBlock
  }
}

function inside(firstBlock: number, endBlock: number) {
  return ({ blockNumber }: Payment) => blockNumber >= firstBlock && blockNumber < endBlock
}

async function shown(index: Index): Promise<readonly Payment[]> {
  const coverage = await readCoverage(index)
  const payments: Payment[] = []
  const selection = { coverage, range: coverage }
  for await (const payment of readPayments(index.ledger, selection, signal)) payments.push(payment)
  return payments
}

async function makeFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tollbook-transfer-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  return folder
}
