import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'

const MAIN = new URL('./main.ts', import.meta.url).pathname

test('a command survives when its stdout is closed (EPIPE), and its output is lost', async () => {
  const child = spawn(process.execPath, [MAIN, '--help'], { stdio: ['ignore', 'pipe', 'pipe'] })
  const exit = once(child, 'exit')
  // Long before it has started.
  child.stdout.destroy()
  assert.equal(await text(child.stderr), '')
  assert.deepEqual(await exit, [0, null])
})
