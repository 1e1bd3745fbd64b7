import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRateLimiter } from '../../http/request/rate-limit.ts'
import type { Endpoint } from '../endpoint.ts'
import type { Exchange } from '../exchange.ts'
import { readWeighed } from './read-weighed.ts'

const MEGABYTE = 1_000_000
// Only the limits are read.
const endpoint = { limits: { bodyBytes: 6 * MEGABYTE, formBytes: 20 * MEGABYTE, timeoutMs: 1 } } as Endpoint

/** How many open requests with these headers of one client are read, of ten. */
async function readAtOnce(headers: Readonly<Record<string, string>>): Promise<number> {
  const limiter = createRateLimiter(100_000)
  let read = 0
  const exchange: Pick<Exchange, 'request' | 'endpoint' | 'readRequest' | 'bytesRead'> = {
    request: new Request('http://127.0.0.1/', { headers }),
    endpoint,
    bytesRead: () => 0,
    readRequest() {
      read += 1
      // A body that has not arrived yet.
      return new Promise(() => {})
    },
  }
  for (let at = 0; at < 10; at += 1) void readWeighed(exchange as Exchange, limiter.open('192.0.2.1'))
  return read
}

test('open bodies of one client have at most 64 MB, by the limit of a form if they are one', async () => {
  const form = { 'content-type': 'multipart/form-data; boundary=b' }
  const length = { 'content-length': String(20 * MEGABYTE) }
  // 4,096 tokens of 16,384 bytes are 67.1 MB: three forms of 20 MB, and all ten bodies of 6 MB.
  assert.equal(await readAtOnce({ ...form, ...length }), 3)
  assert.equal(await readAtOnce({ ...form, 'transfer-encoding': 'chunked' }), 3)
  assert.equal(await readAtOnce({ 'content-type': 'application/json', 'transfer-encoding': 'chunked' }), 10)
})
