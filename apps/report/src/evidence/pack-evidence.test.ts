import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import type { Address } from '@tollbook/chain/hex'
import { BUSY, QUIET } from '@tollbook/testing/report/sample-figures'
import type { MerchantFigures } from '@tollbook/verify/build/figures'
import type { ScreenedPayment } from '../build/read-evidence.ts'
import type { WindowPayment } from '../build/read-window-evidence.ts'
import { openEvidenceFolder } from './evidence-folder.ts'
import { toNdjsonLine } from './evidence-stream.ts'
import { packEvidence } from './pack-evidence.ts'
import { withArchive } from './packed-evidence.ts'

const { signal } = new AbortController()
const WINDOW = { startBlock: 0, endBlock: 1, start: 0, end: 1 }

function openFolder(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'tollbook-pack-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return { folder, archive: openEvidenceFolder(folder) }
}

/** Payments of 1, 2, 3 ... micro-USDC; every third is flagged. */
function paymentsOf(merchant: Address, count: number): WindowPayment[] {
  return Array.from({ length: count }, (_, at) => ({
    merchant,
    blockNumber: 53_700_000 + Math.floor(at / 3),
    logIndex: at % 3,
    timestamp: 1_794_189_347,
    transaction: `0x${at.toString(16).padStart(64, '0')}` as const,
    buyer: QUIET.address,
    amount: BigInt(at + 1),
    flag: at % 3 === 2 ? 'tiny_repeat' : null,
  }))
}

function figuresOf(address: Address, payments: readonly WindowPayment[]): MerchantFigures {
  const real = payments.filter(({ flag }) => flag === null)
  const sum = (some: readonly WindowPayment[]) => some.reduce((total, { amount }) => total + amount, 0n)
  return {
    ...BUSY,
    address,
    tx: payments.length,
    amount: sum(payments),
    realTx: real.length,
    realAmount: sum(real),
    floor: 1n,
  }
}

async function* stream<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items
}

test('each merchant has its own gzip member, large or small, that reads back as written', async (t) => {
  const { folder, archive } = openFolder(t)
  // 3,000 lines of about 260 characters are packed as a stream, three at a time.
  const many = paymentsOf(BUSY.address, 3_000)
  const few = paymentsOf(QUIET.address, 3)
  const figures = [figuresOf(QUIET.address, few), figuresOf(BUSY.address, many)]
  const packed = await packEvidence({
    archive,
    label: '2026-11-15',
    payments: stream([...many, ...few]),
    figures,
  })
  const whole = readFileSync(join(folder, packed.file))
  assert.equal(packed.sha256, createHash('sha256').update(whole).digest('hex'))
  const evidence = withArchive({ payments: () => assert.fail('the ledger is not queried') }, archive)
  for (const rows of [many, few]) {
    const place = packed.places.get(rows[0]?.merchant ?? '0x')
    assert(place)
    const text = rows.map(toNdjsonLine).join('')
    assert.equal(gunzipSync(whole.subarray(place.at, place.at + place.bytes)).toString(), text)
    assert.equal(place.sha256, createHash('sha256').update(text).digest('hex'))
    const read: ScreenedPayment[] = []
    const query = { merchant: BUSY.address, window: WINDOW, kept: { file: packed.file, ...place } }
    for await (const row of evidence.payments(query, signal)) read.push(row)
    assert.deepEqual(
      read,
      rows.map(({ merchant: _merchant, ...row }) => row),
    )
  }
  assert.equal(gunzipSync(whole).toString(), [...many, ...few].map(toNdjsonLine).join(''))
})

test('the same payments produce the same file', async (t) => {
  const { folder, archive } = openFolder(t)
  const payments = paymentsOf(BUSY.address, 2_000)
  const packing = { archive, label: 'week', figures: [figuresOf(BUSY.address, payments)] }
  const first = await packEvidence({ ...packing, payments: stream(payments) })
  assert.deepEqual(await packEvidence({ ...packing, payments: stream(payments) }), first)
  assert.deepEqual(readdirSync(folder), [first.file])
})

test('payments that do not add up to the figures are not stored', async (t) => {
  const { folder, archive } = openFolder(t)
  const payments = paymentsOf(BUSY.address, 3)
  const figures = figuresOf(BUSY.address, payments)
  const packing = { archive, label: 'week', payments: stream(payments) }
  const wrong: readonly (readonly MerchantFigures[])[] = [
    [],
    [figures, QUIET],
    [{ ...figures, tx: 4 }],
    [{ ...figures, amount: figures.amount + 1n }],
    [{ ...figures, realTx: figures.realTx - 1 }],
    [{ ...figures, realAmount: figures.realAmount - 1n }],
  ]
  for (const figures of wrong) {
    await assert.rejects(packEvidence({ ...packing, payments: stream(payments), figures }), /figures/)
  }
  assert.deepEqual(readdirSync(folder), [])
})

test('a ledger that fails during the read leaves no file behind', async (t) => {
  const { folder, archive } = openFolder(t)
  async function* failing() {
    yield* paymentsOf(BUSY.address, 3_000)
    throw new Error('the ledger is gone')
  }
  await assert.rejects(
    packEvidence({ archive, label: 'week', payments: failing(), figures: [] }),
    /the ledger is gone/,
  )
  assert.deepEqual(readdirSync(folder), [])
})
