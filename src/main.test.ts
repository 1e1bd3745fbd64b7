import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { findFreePort } from '../test/servers/free-port.ts'

const MAIN = new URL('./main.ts', import.meta.url).pathname

test('a command survives when its stdout is closed (EPIPE), and its output is lost', async () => {
  const child = spawn(process.execPath, [MAIN, '--help'], { stdio: ['ignore', 'pipe', 'pipe'] })
  const exit = once(child, 'exit')
  // Long before it has started.
  child.stdout.destroy()
  assert.equal(await text(child.stderr), '')
  assert.deepEqual(await exit, [0, null])
})

test('a surplus argument, a taken port and an unreachable service are explained', async () => {
  // Passes as a node of Base, so that the proxy starts.
  const node = createServer(async (incoming, outgoing) => {
    const { id, method } = JSON.parse(await text(incoming))
    outgoing.end(JSON.stringify({ jsonrpc: '2.0', id, result: method === 'eth_chainId' ? '0x2105' : '0x01' }))
  }).listen(0, '127.0.0.1')
  await once(node, 'listening')
  const { port } = node.address() as AddressInfo
  const environment = {
    TOLLBOOK_CHAIN_RPC_URL: `http://127.0.0.1:${port}`,
    TOLLBOOK_CALL_KEY: `0x${'57'.repeat(32)}`,
  }
  async function explain(line: string): Promise<string> {
    const child = spawn(process.execPath, [MAIN, ...line.split(' ')], {
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const [explained, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')])
    return `${code} ${explained}`
  }
  try {
    assert.match(await explain('start now'), /^2 Unexpected argument 'now'\nsee tollbook start --help/)
    assert.match(await explain('call --maximum 1'), /^2 Unknown option '--maximum'\nsee/)
    const proxy = `proxy --to http://127.0.0.1:1 --budget 1 --log :memory: --port ${port}`
    assert.match(
      await explain(proxy),
      /^70 .*EADDRINUSE.*stop the process that uses it, or choose another port/,
    )
    assert.match(
      await explain(`call http://127.0.0.1:${await findFreePort()}/`),
      /^70 tollbook: the request failed: connect ECONNREFUSED 127\.0\.0\.1:\d+: nothing listens there; is tollbook start running\?\n$/,
    )
    assert.match(
      await explain('call http://nowhere.invalid/'),
      /^70 tollbook: the request failed: .*(ENOTFOUND|EAI_AGAIN).*: the host name (does not exist|cannot be resolved now)\n$/,
    )
  } finally {
    node.close()
  }
})
