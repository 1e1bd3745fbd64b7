import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { type DevChain, startDevChain } from '@tollbook/devchain/dev-chain'
import { startCommand, THIS_CHECKOUT, withoutSettings } from '@tollbook/testing/commands/running-command'

/** Loaded into a command: its error reaches no handler. */
const FAULT = `process.on('SIGUSR2', function onPacket() { throw new RangeError('bad port') })`

let folder: string
let chain: DevChain
let environment: NodeJS.ProcessEnv
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tollbook-uncaught-'))
  chain = await startDevChain({ port: 0 })
  environment = {
    ...withoutSettings(),
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(FAULT)}`,
    TOLLBOOK_DATA_DIR: folder,
    TOLLBOOK_DEVCHAIN_PORT: new URL(chain.rpcUrl).port,
    TOLLBOOK_UTILITY_PORT: '0',
    TOLLBOOK_FACILITATOR_PORT: '0',
    TOLLBOOK_REPORT_PORT: '0',
    TOLLBOOK_INDEXER_PORT: '0',
  }
})
after(async () => {
  await chain?.close()
  rmSync(folder, { recursive: true, force: true })
})

// Answers with an error, which is an answer.
const service = createServer((_, response) => response.writeHead(404).end()).listen(0, '127.0.0.1')
await once(service, 'listening')
after(() => service.close())
const { port } = service.address() as AddressInfo

for (const words of [
  ['serve', 'utility'],
  ['serve', 'facilitator'],
  ['serve', 'report'],
  ['index'],
  ['proxy', '--to', `http://127.0.0.1:${port}`, '--budget', '1', '--port', '0', '--log', ':memory:'],
])
  test(`tollbook ${words.join(' ')} exits with 70 after an uncaught error, which is its last line`, async () => {
    const running = await startCommand(words, environment)
    process.kill(running.pid ?? 0, 'SIGUSR2')
    const ended = await running.ended
    assert.match(ended, / ended with 70:\n/)
    assertFatal(ended)
  })

test('tollbook mcp exits with 70 after an uncaught error, which is its last line', async () => {
  const words = ['mcp', 'http://127.0.0.1:1', '--budget', '1', '--log', ':memory:']
  const [program, main] = THIS_CHECKOUT
  const child = spawn(program, [main ?? '', ...words], { env: environment })
  const exit = once(child, 'exit')
  const errors = text(child.stderr)
  // It serves once it answers.
  child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
  await once(child.stdout, 'data')
  child.kill('SIGUSR2')
  assert.deepEqual(await exit, [70, null])
  assertFatal(await errors)
})

function assertFatal(output: string): void {
  const last = JSON.parse(output.trim().split('\n').at(-1) ?? '')
  // Level 60 is pino's `fatal`: https://getpino.io/#/docs/api?id=logger-level
  assert.deepEqual([last.level, last.err.message], [60, 'bad port'])
  assert.match(last.err.stack, /onPacket/)
}
