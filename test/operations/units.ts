import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { COMMANDS } from '@tollbook/cli/commands/command-list'
import { isSetting } from '@tollbook/runtime/config'
import { makeRunFolder } from '@tollbook/testing/run-folder'

const UNITS = join(import.meta.dirname, '../../ops/systemd')
const INSTALLED = '/opt/tollbook/node_modules/.bin/node'
const STARTED = [
  'tollbook-sell@social.service',
  'tollbook-sell@utility.service',
  'tollbook-sell@inference.service',
  'tollbook-facilitator.service',
  'tollbook-report.service',
  'tollbook-index.service',
  'tollbook-backup.service',
  'tollbook-backup.timer',
]
/** Of 100; below 20 systemd calls a unit "OK". */
const MAX_EXPOSURE = 20
const skip = spawnSync('systemd-analyze', ['--version']).error !== undefined && 'systemd is not installed'

let folder: string

before(() => {
  folder = makeRunFolder('units')
  cpSync(UNITS, folder, { recursive: true })
  // The product is not installed here: its place is taken by this Node.
  for (const name of globSync('*.service', { cwd: folder })) {
    const text = readFileSync(join(folder, name), 'utf8')
    assert.ok(text.includes(INSTALLED), name)
    writeFileSync(join(folder, name), text.replaceAll(INSTALLED, process.execPath))
  }
})
after(() => rmSync(folder, { recursive: true, force: true }))

/** Its status, and what it printed about our units. */
function analyze(...words: readonly string[]) {
  const environment = { ...process.env, SYSTEMD_UNIT_PATH: `${folder}:` }
  const { status, stdout, stderr } = spawnSync('systemd-analyze', words, { env: environment })
  const told = `${stdout}${stderr}`.split('\n').filter((line) => line.includes(folder))
  return { status, told }
}

test('systemd accepts every unit without a warning', { skip }, () => {
  for (const unit of STARTED)
    assert.deepEqual(analyze('verify', '--man=no', unit), { status: 0, told: [] }, unit)
})

test('the drop-in of the operator’s key loads it where sales are read, as the key of the facilitator', () => {
  const read = (name: string) => readFileSync(join(UNITS, name), 'utf8')
  const lines = (text: string) => text.split('\n').filter((line) => /operator-key|facilitator-key/.test(line))
  const expected = lines(read('tollbook-facilitator.service')).map((line) =>
    line.replaceAll('facilitator-key', 'operator-key').replace('FACILITATOR', 'OPERATOR'),
  )
  assert.equal(expected.length, 2)
  const dropIn = read('operator-key.conf')
  assert.deepEqual(lines(dropIn), expected)
  if (skip) return
  for (const unit of ['tollbook-sell@', 'tollbook-facilitator']) {
    const target = join(folder, `${unit}.service.d`)
    mkdirSync(target, { recursive: true })
    writeFileSync(join(target, 'operator-key.conf'), dropIn)
  }
  for (const unit of STARTED)
    assert.deepEqual(analyze('verify', '--man=no', unit), { status: 0, told: [] }, unit)
})

test('no service is exposed more than systemd calls OK', { skip }, () => {
  for (const unit of STARTED.filter((name) => name.endsWith('.service'))) {
    const { status } = analyze('security', '--offline=true', `--threshold=${MAX_EXPOSURE}`, unit)
    assert.equal(status, 0, unit)
  }
  const strict = analyze('security', '--offline=true', '--threshold=1', 'tollbook-report.service')
  assert.notEqual(strict.status, 0, 'the threshold decides')
})

test('a browser page or an engine that the kernel kills for memory does not stop its service', () => {
  // systemd.service(5): by default, a process of the unit that the kernel kills so ends them all.
  const unit = readFileSync(join(UNITS, 'tollbook-sell@.service'), 'utf8')
  assert.match(unit, /^OOMPolicy=continue$/m)
})

test('the units start commands that exist, with settings that exist', () => {
  const texts = globSync('**/*.{service,conf}', { cwd: UNITS }).map((name) =>
    readFileSync(join(UNITS, name), 'utf8'),
  )
  const commands = texts.flatMap((text) =>
    [...text.matchAll(/dist\/main\.js (\w+)/g)].map(([, name]) => name),
  )
  assert.deepEqual([...new Set(commands)].sort(), ['backup', 'index', 'serve'])
  for (const name of commands) assert.ok(Object.hasOwn(COMMANDS, name ?? ''), name)
  const settings = texts.flatMap((text) => text.match(/TOLLBOOK_\w+(?==)/g) ?? [])
  assert.ok(settings.length >= 3)
  for (const name of settings) assert.ok(isSetting(name.replace(/_FILE$/, '')), name)
})
