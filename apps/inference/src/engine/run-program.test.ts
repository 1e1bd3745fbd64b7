import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ProblemError } from '@tollbook/http/problem'
import { createPrograms, type ProgramRun } from './run-program.ts'

const NEVER = new AbortController().signal
const SLEEP: ProgramRun = { program: 'sleep', args: ['600'], maxBytes: 100, deadlineMs: 600_000 }
const codeOf = (error: unknown) => (error instanceof ProblemError ? error.problem.code : String(error))

test('a program reads its input and no shell interprets it', async () => {
  const stdin = "$(id); `id` 'ü' \0 --help"
  const order = { program: 'cat', args: [], stdin, maxBytes: 100, deadlineMs: 60_000 }
  assert.equal(Buffer.from(await createPrograms().run(order, NEVER)).toString(), stdin)
})

test('a program that runs too long or writes too much is killed', async () => {
  const programs = createPrograms({ processes: 1 })
  assert.equal(await programs.run({ ...SLEEP, deadlineMs: 50 }, NEVER).catch(codeOf), 'upstream_timeout')
  const endless = { program: 'yes', args: [], maxBytes: 100_000, deadlineMs: 60_000 }
  assert.equal(await programs.run(endless, NEVER).catch(codeOf), 'cannot_be_served')
})

test('when too many wait, the next is rejected at once; a caller that disconnects ends the program', async () => {
  const programs = createPrograms({ processes: 1, maxWaiting: 1 })
  const caller = new AbortController()
  const running = [1, 2].map(() => programs.run(SLEEP, caller.signal).catch((reason: unknown) => reason))
  assert.equal(await programs.run(SLEEP, NEVER).catch(codeOf), 'unavailable')
  caller.abort('gone')
  assert.deepEqual(await Promise.all(running), ['gone', 'gone'])
})

test('a program that fails or is absent is an error of the service', async () => {
  const programs = createPrograms()
  assert.equal(
    await programs.run({ ...SLEEP, program: 'false' }, NEVER).catch(codeOf),
    'Error: false ended with 1',
  )
  assert.match(
    `${await programs.run({ ...SLEEP, program: 'no-such-program' }, NEVER).catch(codeOf)}`,
    /ENOENT/,
  )
})

test('no secret of the process reaches a program', async () => {
  const written = await createPrograms().run({ ...SLEEP, program: 'env', args: [], maxBytes: 10_000 }, NEVER)
  const names = Buffer.from(written)
    .toString()
    .trim()
    .split('\n')
    .map((line) => line.split('=')[0])
  assert.deepEqual(names.toSorted(), ['LC_ALL', 'PATH'])
})
