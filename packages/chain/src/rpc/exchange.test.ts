import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { startJsonRpcServer } from '@tollbook/testing/chain/json-rpc-server'
import { createDirectRpc } from './rpc.ts'

const server = await startJsonRpcServer()
after(() => server.close())
const { url } = server
const rpc = createDirectRpc({ url, maxAnswerBytes: 1_000 })

test('an answer above the limit is not read to its end, plain or compressed', async () => {
  const answer = JSON.stringify({ id: 0, result: '0'.repeat(1_000) })
  const bounded = { name: 'Unreachable', message: /more than 1000 bytes/ }
  server.setAnswer(() => answer)
  await assert.rejects(rpc.call('eth_getCode', []), bounded)
  server.setAnswer((_, response) => {
    response.setHeader('content-encoding', 'gzip')
    return gzipSync(answer)
  })
  await assert.rejects(rpc.call('eth_getCode', []), bounded)
})

test('a compressed answer is decoded', async () => {
  server.setAnswer(([request], response) => {
    response.setHeader('content-encoding', 'gzip')
    return gzipSync(JSON.stringify({ id: request?.id, result: 'é' }))
  })
  assert.equal(await rpc.call('web3_clientVersion', []), 'é')
})

test('a redirect is not followed', async () => {
  server.setAnswer((_, response) => {
    response.statusCode = 307
    response.setHeader('location', url)
    return ''
  })
  await assert.rejects(rpc.call('eth_chainId', []), { name: 'Unreachable' })
  assert.equal(server.seen.length, 1)
})

test('a node that does not answer in time is named so', async (context) => {
  // Its own server: on a loaded machine the request can arrive after the test.
  const silent = await startJsonRpcServer()
  context.after(() => silent.close())
  silent.setAnswer((_, response) => {
    // Kept open; the connection closes with the request.
    response.flushHeaders()
    return new Promise(() => {})
  })
  const hasty = createDirectRpc({ url: silent.url, timeoutMs: 20 })
  await assert.rejects(hasty.call('eth_chainId', []), { message: /no response in time/ })
})

test('a batch is one request, and its first error is thrown', async () => {
  server.setAnswer((requests) =>
    requests.map(({ id }) => (id === 1 ? { id, error: { code: -1, message: 'no' } } : { id, result: id })),
  )
  await assert.rejects(rpc.batch(['a', 'b', 'c'].map((method) => ({ method, params: [] }))), {
    name: 'RpcRefusal',
    message: 'b: no',
  })
  assert.equal(server.seen.length, 1)
})
