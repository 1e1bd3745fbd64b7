import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Unreachable } from '@tollbook/flow/failure'
import { startJsonRpcServer } from '@tollbook/testing/chain/json-rpc-server'
import { createReadRpc } from './read-rpc.ts'

const signal = new AbortController().signal
const server = await startJsonRpcServer()
after(() => server.close())

test('many requests travel in batches of one hundred and come back in their order', async () => {
  server.setAnswer((requests) => requests.map(({ id, params }) => ({ id, result: params[0] })).reverse())
  const requests = Array.from({ length: 250 }, (_, at) => ({ method: 'echo', params: [at] }))
  const results = await createReadRpc({ url: server.url }).batch(requests, signal)
  assert.deepEqual(
    results,
    Array.from({ length: 250 }, (_, at) => at),
  )
  assert.deepEqual(
    server.seen.map(({ requests }) => requests.length),
    [100, 100, 50],
  )
})

test('a node that is overloaded or broken is asked again, and an answer that comes late is taken', async () => {
  const failures = [429, 503, 0]
  server.setAnswer((requests, response) => {
    const failure = failures.shift()
    if (failure) response.statusCode = failure
    return failure === 0 ? 'no json' : { id: requests[0]?.id, result: '0x1' }
  })
  assert.equal(await createReadRpc({ url: server.url }).call('eth_blockNumber', [], signal), '0x1')
  assert.equal(server.seen.length, 4)
})

test('after the last attempt the node counts as unreachable, and the error does not hold its URL', async () => {
  server.setAnswer((_, response) => {
    response.statusCode = 502
    return 'bad gateway'
  })
  const rpc = createReadRpc({ url: `http://user:secret@${server.host}/key`, attempts: 2 })
  await assert.rejects(rpc.call('eth_blockNumber', [], signal), (error: Error) => {
    assert(error instanceof Unreachable)
    assert.equal(error.message, 'the chain RPC returned no usable response (HTTP status 502)')
    return true
  })
  assert.equal(server.seen.length, 2)
})

test('a user and a password in the URL become basic authorization', async () => {
  server.setAnswer((requests) => ({ id: requests[0]?.id, result: null }))
  await createReadRpc({ url: `http://us%20er:secret@${server.host}/` }).call('eth_blockNumber', [], signal)
  assert.equal(server.seen[0]?.authorization, `Basic ${Buffer.from('us er:secret').toString('base64')}`)
})

test('a refusal is final, also one that does not say of which request it speaks', async () => {
  const rpc = createReadRpc({ url: server.url })
  server.setAnswer(() => ({ id: null, error: { code: -32600, message: 'too much' } }))
  await assert.rejects(rpc.call('eth_getLogs', [], signal), { name: 'RpcRefusal', code: -32600 })
  assert.equal(server.seen.length, 1)
})

test('an aborted call ends with the reason of its signal', async () => {
  server.setAnswer(() => 'no json')
  const controller = new AbortController()
  const call = createReadRpc({ url: server.url }).call('eth_blockNumber', [], controller.signal)
  controller.abort(new Error('enough'))
  await assert.rejects(call, /enough/)
})

test('a batch that is refused is split until it passes, and the next one begins that small', async () => {
  const max = 30
  server.setAnswer((requests) =>
    requests.length > max
      ? { id: null, error: { code: -32600, message: 'too many requests in one batch' } }
      : requests.map(({ id, params }) => ({ id, result: params[0] })),
  )
  const rpc = createReadRpc({ url: server.url })
  const requests = Array.from({ length: 100 }, (_, at) => ({ method: 'echo', params: [at] }))
  const expected = requests.map(({ params }) => params[0])
  assert.deepEqual(await rpc.batch(requests, signal), expected)
  server.seen.length = 0
  assert.deepEqual(await rpc.batch(requests, signal), expected)
  assert.deepEqual(
    server.seen.map(({ requests }) => requests.length),
    [25, 25, 25, 25],
  )
})

test('a node that asks for fewer requests is left alone for as long as it says', async () => {
  let refused = 0
  server.setAnswer((requests, response) => {
    if (refused++ > 0) return { id: requests[0]?.id, result: '0x1' }
    response.statusCode = 429
    response.setHeader('retry-after', '1')
    return ''
  })
  const startMs = performance.now()
  const rpc = createReadRpc({ url: server.url })
  assert.equal(await rpc.call('eth_blockNumber', [], signal), '0x1')
  assert(performance.now() - startMs >= 990)

  // Longer than anyone would wait for one answer: the caller may ask another node meanwhile.
  server.setAnswer((_, response) => {
    response.statusCode = 429
    response.setHeader('retry-after', '3600')
    return ''
  })
  await assert.rejects(rpc.call('eth_blockNumber', [], signal), {
    name: 'RateLimited',
    retryAfterMs: 3_600_000,
  })
})
