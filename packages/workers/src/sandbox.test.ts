import assert from 'node:assert/strict'
import { execFile, fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { makeRunFolder } from '@tollbook/testing/run-folder'
import { canSandbox, kill, toSandboxed } from './sandbox.ts'

const skip = !canSandbox() && 'needs the Debian package bubblewrap, and namespaces for this user'
const CHILD = new URL('../../testing/src/workers/escaping-child.ts', import.meta.url)

type Escape = {
  readonly secret: string
  readonly written: string
  readonly dialled: string
  readonly processes: number
}

/** What a hostile parser could do: read a file, write one, reach a port of this machine, see processes. */
async function tryToEscape(options: ReturnType<typeof toSandboxed>, order: object): Promise<Escape> {
  const child = fork(CHILD, { ...options, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  child.send(order)
  const [answer] = await once(child, 'message')
  kill(child)
  return answer as Escape
}

test('a parser in the sandbox reads no file of the operator, writes none, dials nothing, and sees no other process', {
  skip,
}, async () => {
  const folder = makeRunFolder('sandbox')
  const [secret, target] = [join(folder, 'state.sqlite'), join(folder, 'written')]
  writeFileSync(secret, 'a key')
  const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const order = { secret, target, port: typeof address === 'object' ? address?.port : 0 }

  const walled = await tryToEscape(toSandboxed(CHILD, []), order)
  assert.deepEqual(
    { ...walled, processes: 0 },
    { secret: 'ENOENT', written: 'ENOENT', dialled: 'ECONNREFUSED', processes: 0 },
  )
  // The sandbox itself, and the parser.
  assert.ok(walled.processes <= 2)
  assert.ok(!existsSync(target))

  // The same child without the sandbox does all of it: the test would notice a wall that is none.
  const free = await tryToEscape({ env: {} }, order)
  assert.equal(free.secret, 'a key')
  assert.equal(free.written, 'yes')
  assert.equal(free.dialled, 'yes')
  assert.ok(free.processes > 2)
  server.close()
})

test('a sandbox that is killed at any time of its start leaves no process behind', { skip }, async () => {
  const run = promisify(execFile)
  for (const afterMs of [0, 2, 8, 32]) {
    const child = fork(CHILD, { ...toSandboxed(CHILD, []), stdio: ['ignore', 'ignore', 'ignore', 'ipc'] })
    await wait(afterMs)
    kill(child)
    await once(child, 'exit')
    // Whoever was in the group of the sandbox ends at once, too.
    let left: string
    do left = (await run('ps', ['-eo', 'pgid='])).stdout
    while (left.split(/\s+/).includes(`${child.pid}`))
  }
})
