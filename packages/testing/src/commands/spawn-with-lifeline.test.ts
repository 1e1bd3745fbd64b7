import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { spawnWithLifeline } from './spawn-with-lifeline.ts'

const LIFELINE = join(import.meta.dirname, 'spawn-with-lifeline.ts')
/** Holds a connection to us and then ignores everything, signals and pipes included. */
const DEAF = `process.on('SIGTERM', () => {})
  require('net').connect(Number(process.argv[1]), '127.0.0.1').once('data', () => {
    require('fs').writeSync(1, 'deaf')
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  })`
/** Starts such a process and passes its output on. */
const PARENT = `import { spawnWithLifeline } from ${JSON.stringify(LIFELINE)}
  const words = [process.execPath, '-e', ${JSON.stringify(DEAF)}, process.argv[1]]
  spawnWithLifeline(words, process.env).stdout.pipe(process.stdout)`

test('a program ends when its parent is killed', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const parent = spawn(process.execPath, ['--input-type=module', '-e', PARENT, String(port)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [connection] = (await once(server, 'connection')) as [Socket]
  connection.on('error', () => {}).resume()
  connection.write('go on')
  assert.equal(String(await once(parent.stdout, 'data')), 'deaf')
  const isGone = once(connection, 'close')
  parent.kill('SIGKILL')
  await isGone
  server.close()
})

test('a program has its own pid, output and exit, and ends by itself', async () => {
  const words = 'console.log(process.pid); console.error(process.argv[1]); process.exitCode = 3'
  const child = spawnWithLifeline([process.execPath, '-e', words, "it's $HOME"], process.env)
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  assert.deepEqual([out, err, code], [`${child.pid}\n`, "it's $HOME\n", 3])
})

test('a signal reaches the program itself', async () => {
  const child = spawnWithLifeline(
    [
      process.execPath,
      '-e',
      "process.on('SIGTERM', () => process.exit(7)); setInterval(() => {}, 1000); console.log()",
    ],
    process.env,
  )
  await once(child.stdout, 'data')
  child.kill('SIGTERM')
  assert.deepEqual(await once(child, 'exit'), [7, null])
})
