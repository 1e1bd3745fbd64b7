import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRateLimiter } from '@tollbook/http/request/rate-limit'
import type { Exchange } from '../contract/exchange.ts'
import { readWeighed } from './read-weighed.ts'

const MEGABYTE = 1_000_000

/** How many open requests with these headers of one client are read, of ten whose body may have so many megabytes. */
async function readAtOnce(megabytes: number, headers: Readonly<Record<string, string>>): Promise<number> {
  const limiter = createRateLimiter(100_000)
  let read = 0
  const exchange: Pick<Exchange, 'request' | 'maxBodyBytes' | 'readRequest' | 'bytesRead'> = {
    request: new Request('http://127.0.0.1/', { headers }),
    maxBodyBytes: megabytes * MEGABYTE,
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

test('open bodies of one client have at most 64 MB, by their length or else by their limit', async () => {
  const chunked = { 'transfer-encoding': 'chunked' }
  // 4,096 tokens of 16,384 bytes are 67.1 MB: three bodies of 20 MB, and all ten of 6 MB.
  assert.equal(await readAtOnce(20, { 'content-length': String(20 * MEGABYTE) }), 3)
  assert.equal(await readAtOnce(20, chunked), 3)
  assert.equal(await readAtOnce(20, { 'content-length': String(6 * MEGABYTE) }), 10)
  assert.equal(await readAtOnce(6, chunked), 10)
})
