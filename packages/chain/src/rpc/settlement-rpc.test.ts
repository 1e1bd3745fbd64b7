import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Unreachable } from '@tollbook/flow/failure'
import { startJsonRpcServer } from '@tollbook/testing/chain/json-rpc-server'
import { createSettlementRpc } from './settlement-rpc.ts'

const server = await startJsonRpcServer()
after(() => server.close())
const { url } = server

test('the calls of one turn are sent in one request, and each gets its own outcome', async () => {
  const revert = { code: 3, message: 'execution reverted', data: '0x08c379a0' }
  server.setAnswer((requests) =>
    requests
      .filter(({ method }) => method !== 'lost')
      .map(({ id, method, params }) =>
        method === 'fail' ? { id, error: revert } : { id, result: params[0] },
      )
      .reverse(),
  )
  const rpc = createSettlementRpc({ url })
  const outcomes = await Promise.allSettled([
    rpc.call('echo', ['one']),
    rpc.call('fail', []),
    rpc.call('lost', []),
    rpc.call('echo', ['two']),
  ])
  assert.equal(server.seen.length, 1)
  const shown = outcomes.map((one) =>
    one.status === 'fulfilled' ? one.value : [one.reason.name, one.reason.data],
  )
  assert.deepEqual(shown, ['one', ['RpcRefusal', '0x08c379a0'], ['Unreachable', undefined], 'two'])
})

test('a transaction that the node may have accepted is sent once, whatever the node answers', async () => {
  const send = () => createSettlementRpc({ url }).call('eth_sendRawTransaction', ['0x02'])
  for (const status of [200, 413, 500, 503]) {
    server.setAnswer((_, response) => {
      response.statusCode = status
      return 'no JSON'
    })
    await assert.rejects(send(), Unreachable, String(status))
    assert.equal(server.seen.length, 1)
  }
  server.setAnswer((_, response) => {
    response.statusCode = 429
    return ''
  })
  await assert.rejects(send(), { name: 'RateLimited' })
  assert.equal(server.seen.length, 1)
  server.setAnswer((_, response) => response.destroy())
  await assert.rejects(send(), Unreachable)
  assert.equal(server.seen.length, 1)
})

test('a batch that the node refuses as a whole is not split and sent again', async () => {
  server.setAnswer(() => ({ id: null, error: { code: -32600, message: 'batch too large' } }))
  const rpc = createSettlementRpc({ url })
  const both = await Promise.allSettled([rpc.call('echo', [1]), rpc.call('echo', [2])])
  for (const one of both) assert.ok(one.status === 'rejected' && one.reason instanceof Unreachable)
  assert.equal(server.seen.length, 1)
})

test('a call that the node refuses because it lags is repeated at most five times', async () => {
  let lags = 2
  const behind = { code: -32000, message: 'header not found' }
  server.setAnswer(([request]) => ({
    id: request?.id,
    ...(lags-- > 0 ? { error: behind } : { result: '0x1' }),
  }))
  const rpc = createSettlementRpc({ url })
  assert.equal(await rpc.call('eth_call', []), '0x1')
  assert.equal(server.seen.length, 3)
  server.setAnswer(([request]) => ({ id: request?.id, error: behind }))
  await assert.rejects(rpc.call('eth_call', []), { name: 'NodeBehind' })
  assert.equal(server.seen.length, 5)
})
