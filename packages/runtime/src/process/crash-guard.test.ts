import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { runProgram } from '@tollbook/testing/commands/running-command'

const folder = mkdtempSync(join(tmpdir(), 'tollbook-guard-'))
after(() => rmSync(folder, { recursive: true }))

const OPEN_LOG = import.meta.resolve('./open-log.ts')
/** A process with a log, an open port and a timer, which would run forever. */
const SERVER = `
  import { createServer } from 'node:http'
  import { openLog } from ${JSON.stringify(OPEN_LOG)}
  import { loadConfig } from ${JSON.stringify(import.meta.resolve('../config.ts'))}
  const logger = openLog(loadConfig({}), process.argv[1])
  logger.info('serving')
  createServer().listen(0, '127.0.0.1')
  setInterval(() => {}, 1_000)
`

/** Runs it with something that goes wrong after it has started; its log is at `file`. */
async function runUntilEnd(file: string, then: string) {
  const code = `${SERVER}\n${then}`
  const words = [process.execPath, '--input-type=module', '--eval', code, file] as const
  const ended = await runProgram(words, process.env)
  const lines = readFileSync(file, 'utf8').trim().split('\n')
  return { ...ended, last: JSON.parse(lines.at(-1) ?? '') }
}

for (const [name, how] of [
  ['thrown in a callback', `setTimeout(function onPacket() { throw new RangeError('bad port') }, 50)`],
  [
    'of a promise that nobody awaits',
    `void (async function onPacket() { await null; throw new RangeError('bad port') })()`,
  ],
  [
    'emitted without a listener',
    `import { EventEmitter } from 'node:events'
    setTimeout(function onPacket() { new EventEmitter().emit('error', new RangeError('bad port')) }, 50)`,
  ],
] as const)
  test(`an error ${name} is the last line of the log, as fatal with its stack, and the exit code is 70`, async () => {
    const { code, last, stderr } = await runUntilEnd(join(folder, 'log'), how)
    assert.equal(code, 70)
    // Level 60 is pino's `fatal`: https://getpino.io/#/docs/api?id=logger-level
    assert.equal(last.level, 60)
    assert.match(last.err.stack, /^RangeError: bad port\n +at .*onPacket/)
    assert.match(stderr, /^tollbook: no handler caught RangeError: bad port\n/)
  })

test('a value that is no error, and an error while the process ends, change neither log nor exit code', async () => {
  const { code, last } = await runUntilEnd(
    join(folder, 'odd'),
    `process.on('exit', () => { Promise.reject(new Error('later')); throw new Error('latest') })
    setTimeout(() => { throw 'a text' }, 50)`,
  )
  assert.deepEqual([code, last.level, last.err], [70, 60, 'a text'])
})

test('a process whose exit hangs is killed', async () => {
  const { code, last } = await runUntilEnd(
    join(folder, 'hanging'),
    `process.on('exit', () => { for (;;); })
    setTimeout(() => { throw new Error('bad port') }, 50)`,
  )
  // Ended by a signal.
  assert.deepEqual([code, last.level], [-1, 60])
})
