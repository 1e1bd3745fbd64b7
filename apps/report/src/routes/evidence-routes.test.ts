import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { listen } from '@tollbook/http/server/serve'
import { publishSample } from '@tollbook/testing/report/publish-sample'
import { BUSY, EVIDENCE } from '@tollbook/testing/report/sample-figures'
import { sampleService } from '@tollbook/testing/report/sample-service'
import { openTestState } from '@tollbook/testing/state/open-test-state'
import { pino } from 'pino'
import type { ScreenedPayment } from '../build/read-evidence.ts'

const PAGE = `/merchants/base/${BUSY.address}`
const ROWS = 100_000
/** Each row takes more than this many characters of text. */
const MIN_ROW_BYTES = 150

/** The service over a ledger of many payments, with a counter of the rows read. */
async function openLargeLedger() {
  const state = await openTestState()
  await publishSample(state)
  const [first] = EVIDENCE
  const ledger = { read: 0, isClosed: false }
  const { app } = sampleService(state, {
    evidence: {
      async *payments() {
        try {
          for (; ledger.read < ROWS; ledger.read += 1)
            yield { ...first, logIndex: ledger.read } as ScreenedPayment
        } finally {
          ledger.isClosed = true
        }
      },
    },
  })
  return { app, ledger, close: () => state.close() }
}

for (const format of ['csv', 'ndjson'] as const) {
  test(`${format}: rows are read from the ledger only as the client consumes them`, async () => {
    const { app, ledger, close } = await openLargeLedger()
    try {
      const response = await app.request(`${PAGE}/payments.${format}`)
      const reader = (response.body as ReadableStream<Uint8Array>).getReader()
      let takenBytes = 0
      for (let pieces = 0; pieces < 20; pieces += 1) takenBytes += (await reader.read()).value?.length ?? 0
      // One chunk may be ready and another in progress, 32 kB each.
      assert.ok(ledger.read <= (takenBytes + 3 * 40_000) / MIN_ROW_BYTES, `${ledger.read} rows`)
      await reader.cancel()
      assert.equal(ledger.isClosed, true)
    } finally {
      await close()
    }
  })
}

test(`a download of ${ROWS} payments takes no more memory than a small one`, async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const { app, ledger, close } = await openLargeLedger()
  try {
    const response = await app.request(`${PAGE}/payments.csv`)
    let bytes = 0
    let maxBytes = 0
    let startBytes = 0
    let pieces = 0
    for await (const piece of response.body ?? []) {
      bytes += piece.length
      pieces += 1
      if (pieces % 200 !== 1) continue
      collect()
      const { heapUsed, arrayBuffers } = process.memoryUsage()
      startBytes ||= heapUsed + arrayBuffers
      maxBytes = Math.max(maxBytes, heapUsed + arrayBuffers)
    }
    assert.equal(ledger.read, ROWS)
    assert.ok(bytes > ROWS * MIN_ROW_BYTES, `${bytes} bytes`)
    assert.ok(maxBytes - startBytes < 8_000_000, `${maxBytes - startBytes} bytes more than at the start`)
  } finally {
    await close()
  }
})

test('a client that has the evidence gets a 304, and a new window changes the validator', async () => {
  const { app, ledger, close } = await openLargeLedger()
  try {
    const head = await app.request(`${PAGE}/payments.csv`, { method: 'HEAD' })
    const tag = head.headers.get('etag') ?? ''
    assert.match(tag, /^W\/"[\w-]{22}-csv"$/)
    const again = await app.request(`${PAGE}/payments.csv`, { headers: { 'if-none-match': tag } })
    assert.equal(again.status, 304)
    const other = await app.request(`${PAGE}/payments.ndjson`, {
      method: 'HEAD',
      headers: { 'if-none-match': tag },
    })
    assert.equal(other.status, 200)
    assert.equal(ledger.read, 0)
  } finally {
    await close()
  }
})

for (const coding of ['identity', 'gzip']) {
  test(`${coding}: a download whose ledger fails is aborted, without the text of the error`, async () => {
    const state = await openTestState()
    await publishSample(state)
    const [first] = EVIDENCE
    const logged: string[] = []
    const logger = pino({}, { write: (line) => logged.push(line) })
    const { app } = sampleService(state, {
      logger,
      evidence: {
        async *payments() {
          for (let logIndex = 0; logIndex < 5_000; logIndex += 1)
            yield { ...first, logIndex } as ScreenedPayment
          throw new Error('words of the ledger')
        },
      },
    })
    const listening = await listen({ app, host: '127.0.0.1', port: 0, logger })
    try {
      const headers = { 'accept-encoding': coding }
      const response = await fetch(`${listening.url}${PAGE}/payments.csv`, { headers })
      assert.equal(response.status, 200)
      const taken: Buffer[] = []
      await assert.rejects(async () => {
        for await (const piece of response.body as ReadableStream<Uint8Array>) taken.push(Buffer.from(piece))
      })
      assert.doesNotMatch(Buffer.concat(taken).toString('latin1'), /words of the ledger/)
      assert.ok(logged.some((line) => line.includes('words of the ledger')))
    } finally {
      await listening.close()
      await state.close()
    }
  })
}

test('payments that do not add up to their report are reported as such', async () => {
  const state = await openTestState()
  await publishSample(state)
  const { app } = sampleService(state)
  const verified = (await (await app.request(`${PAGE}/verify.json`)).json()) as Record<string, unknown>
  // Three rows of EVIDENCE: 0.5 passing, 0.01 and 1 flagged.
  assert.deepEqual(verified.added_up, { tx: 3, usd: 1.51, real_tx: 1, real_usd: 0.5 })
  assert.deepEqual(verified.published, { tx: 132, usd: 9.55, real_tx: 11, real_usd: 7.35 })
  assert.equal(verified.is_equal, false)
  await state.close()
})
