import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { RetryableError, Unreachable } from '@tollbook/flow/failure'
import { listen } from '@tollbook/http/server/serve'
import { openTestState } from '@tollbook/testing/state/open-test-state'
import pino from 'pino'
import type { ScreenedPayment } from '../build/read-evidence.ts'
import { PaymentsDropped } from '../ledger/coverage/coverage.ts'
import { createEvidenceApp } from '../routes/serve-evidence.ts'
import type { Evidence, EvidenceQuery } from './evidence.ts'
import { createRemoteEvidence } from './remote-evidence.ts'

const QUERY: EvidenceQuery = {
  merchant: `0x${'5a'.repeat(20)}`,
  // As on a chain with sparse blocks, where the nominal first block may be before the chain's first.
  window: { startBlock: -300_000, endBlock: 2_400, start: 1_794_139_201, end: 1_794_744_001 },
}
const signal = new AbortController().signal

test('payments arrive as they were sent, however many there are', async (t) => {
  for (const count of [0, 1, 3_000]) {
    const rows = Array.from({ length: count }, (_, at) => rowAt(at))
    const evidence = await serve(t, async function* (query) {
      assert.deepEqual(query, QUERY)
      yield* rows
    })
    assert.deepEqual(await readAll(evidence), rows)
  }
})

test('the reason for missing payments reaches the client', async (t) => {
  const gone = await serve(t, () => fail(new PaymentsDropped('older than the retention')))
  await assert.rejects(readAll(gone), PaymentsDropped)
  const busy = await serve(t, () => fail(new RetryableError('the chain moved')))
  await assert.rejects(readAll(busy), RetryableError)
  const nobody = createRemoteEvidence('http://127.0.0.1:1')
  await assert.rejects(readAll(nobody), Unreachable)
})

test('payments that break off in the middle are an error, never treated as complete', async (t) => {
  // The HTTP server's adapter would print the error and append it to the payments.
  const printed = t.mock.method(console, 'error')
  const failing = await serve(t, async function* () {
    for (let at = 0; at < 2_000; at++) yield rowAt(at)
    throw new Error('the ledger broke off')
  })
  await assert.rejects(readAll(failing), Unreachable)
  assert.equal(printed.mock.callCount(), 0)
  // A complete HTTP response that lacks some of the payments.
  const server = createServer((_, response) => response.end('[1,2,3,"0x01","0x02","4",null]\n{"rows":2}\n'))
  t.after(() => server.close())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await assert.rejects(readAll(createRemoteEvidence(`http://127.0.0.1:${port}`)), Unreachable)
})

async function serve(t: TestContext, payments: Evidence['payments']): Promise<Evidence> {
  const state = await openTestState()
  const logger = pino({ level: 'silent' })
  const app = createEvidenceApp({ evidence: { payments }, state, logger })
  const listening = await listen({ app, host: '127.0.0.1', port: 0, logger })
  t.after(async () => {
    await listening.close()
    await state.close()
  })
  return createRemoteEvidence(listening.url)
}

async function readAll(evidence: Evidence): Promise<readonly ScreenedPayment[]> {
  const rows: ScreenedPayment[] = []
  for await (const row of evidence.payments(QUERY, signal)) rows.push(row)
  return rows
}

function fail(error: Error): AsyncIterable<ScreenedPayment> {
  return { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(error) }) }
}

function rowAt(at: number): ScreenedPayment {
  return {
    blockNumber: 1_000 + at,
    logIndex: at % 7,
    timestamp: 1_794_700_000 + at,
    transaction: `0x${at.toString(16).padStart(64, '0')}`,
    buyer: `0x${'b'.repeat(40)}`,
    amount: 2n ** 63n + BigInt(at),
    flag: at % 2 === 0 ? null : 'tiny_repeat',
  }
}
