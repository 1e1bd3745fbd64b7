import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'

const bin = new URL('bin.ts', import.meta.url).pathname
const run = (...words: string[]) => spawnSync(process.execPath, [bin, ...words], { encoding: 'utf8' })

test('help names every option and exit code', () => {
  const { status, stdout } = run('--help')
  assert.equal(status, 0)
  for (const word of ['--rpc <url>', '--inputs', '--evidence', '--claim', '--ranking', '--json', '65', '69'])
    assert(stdout.includes(word), word)
})

test('a call without a report, with an unknown option or with a wrong node prints the help', () => {
  for (const words of [[], ['--unknown', 'a'], ['a', 'b'], ['a', '--rpc', 'ftp://node.example']])
    assert.equal(run(...words).status, 2, words.join(' '))
})

test('a document that is not there is a reason, not a stack', () => {
  const { status, stdout, stderr } = run('absent.json', '--json')
  assert.equal(status, 69)
  assert.match(stderr, /^documents: failed\ntollbook verify: cannot read the report: ENOENT/)
  assert.equal(JSON.parse(stdout).verdict, 'could_not_check')
})
