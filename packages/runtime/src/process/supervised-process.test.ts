import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { findFreePort } from '@tollbook/http/server/find-free-port'
import { pino } from 'pino'
import { SupervisedProcess } from './supervised-process.ts'
import { watchPorts } from './watch-ports.ts'

const folder = mkdtempSync(join(tmpdir(), 'tollbook-supervised-'))
after(() => rmSync(folder, { recursive: true }))

/** Supervises a process that runs this code; its messages and its end are noted in order. */
function supervise(code: string, maxStopMs?: number) {
  const file = join(folder, `${crypto.randomUUID()}.mjs`)
  writeFileSync(file, code)
  const notes: unknown[] = []
  const { promise: givenUp, resolve } = Promise.withResolvers<readonly [number, string | null]>()
  const waiting: { readonly text: string; readonly resolve: () => void }[] = []
  const supervised: SupervisedProcess = new SupervisedProcess({
    name: 'till',
    logger: pino({ level: 'silent' }),
    start: () => fork(file, { execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] }),
    stop: (child) => child.send('stop'),
    onMessage(message) {
      if (message === 'up') supervised.noteUp()
      notes.push(message)
      for (const { text, resolve } of waiting) if (text === message) resolve()
    },
    onEnd: () => notes.push('ended'),
    onGivenUp: (code, reason) => resolve([code, reason]),
    firstWaitMs: 1,
    ...(maxStopMs !== undefined && { maxStopMs }),
  })
  const heard = (text: string) => new Promise<void>((resolve) => waiting.push({ text, resolve }))
  return { supervised, notes, givenUp, heard }
}

test('a process that cannot start for the first time is not started again, and its exit code is returned', async () => {
  const { supervised, notes, givenUp } = supervise(`process.exit(78)`)
  await supervised.start()
  assert.deepEqual(await givenUp, [78, null])
  assert.deepEqual(notes, ['ended'])
})

test('a process that ended by a signal before it was up is named, since it says nothing itself', async () => {
  const { supervised, givenUp } = supervise(`process.kill(process.pid, 'SIGKILL')`)
  await supervised.start()
  assert.deepEqual(await givenUp, [70, 'the process for till was ended by SIGKILL'])
})

test('a process that was up is started again, until it has ended ten times in a row', async () => {
  const { supervised, notes, givenUp } = supervise(`process.send('up', () => process.exit(3))`)
  await supervised.start()
  const [code, reason] = await givenUp
  assert.equal(code, 70)
  assert.match(
    reason ?? '',
    /^the process for till ended 10 times in a row, most recently with exit code 3; /,
  )
  assert.deepEqual(notes, Array(10).fill(['up', 'ended']).flat())
})

test('a stopped process ends in order and is not started again; one that does not stop is killed', async () => {
  const obedient = supervise(`process.on('message', () => process.exit(0)); process.send('up')`)
  const deaf = supervise(`process.on('message', () => {}); process.send('up')`, 1)
  for (const { supervised, notes, heard } of [obedient, deaf]) {
    const up = heard('up')
    await supervised.start()
    await up
    await supervised.stop()
    assert.deepEqual(notes, ['up'])
  }
})

test('a process whose event loop is blocked is killed when its port is silent, and started again', async () => {
  const port = await findFreePort('127.0.0.1')
  const { supervised, notes, heard } = supervise(`
    import { createServer } from 'node:http'
    createServer().listen(${port}, '127.0.0.1', () => process.send('up', () => { for (;;); }))`)
  const up = heard('up')
  await supervised.start()
  await up
  const again = heard('up')
  const watch = watchPorts({
    places: [{ host: '127.0.0.1', port }],
    onSilent() {
      supervised.kill('its port does not answer')
      // As `tollbook start` does: a process that is starting has no port yet.
      void watch.stop()
    },
    everyMs: 1,
    maxAnswerMs: 20,
  })
  await again
  supervised.kill('the test has ended')
  await supervised.stop()
  assert.deepEqual(notes.slice(0, 3), ['up', 'ended', 'up'])
})
