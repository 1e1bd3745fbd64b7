import assert from 'node:assert/strict'
import { cpSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { runProgram, withoutSettings } from '@tollbook/testing/commands/running-command'
import { temporaryFolder } from '@tollbook/testing/temporary-folder'

const REPOSITORY = join(import.meta.dirname, '../../..')
/** What may be absent. */
const OPTIONAL = ['devchain', 'facilitator', 'inference', 'pay', 'report', 'social', 'utility', 'verify']

const folder = temporaryFolder('installed')
const modules = join(folder, 'node_modules')
const links = join(modules, '@tollbook')
/** The folder of each package, by name. */
const packages = new Map<string, string>()

/** Copies the packages: Node finds those that a package imports by the real path of the package. */
before(() => {
  for (const kind of ['packages', 'apps'])
    for (const name of readdirSync(join(REPOSITORY, kind))) {
      const copy = join(folder, kind, name)
      const isOurs = (file: string) => !file.endsWith('.test.ts') && !file.endsWith('/node_modules')
      cpSync(join(REPOSITORY, kind, name), copy, { recursive: true, filter: isOurs })
      packages.set(name, copy)
    }
  mkdirSync(modules)
  for (const name of readdirSync(join(REPOSITORY, 'node_modules')))
    if (name !== '@tollbook' && !name.startsWith('.'))
      symlinkSync(join(REPOSITORY, 'node_modules', name), join(modules, name))
})
after(() => rmSync(folder, { recursive: true, force: true }))

/** Installs all packages but those of `OPTIONAL` that are not in the list. */
function install(...installed: readonly string[]): void {
  rmSync(links, { recursive: true, force: true })
  mkdirSync(links)
  for (const [name, path] of packages)
    if (!OPTIONAL.includes(name) || installed.includes(name)) symlinkSync(path, join(links, name))
}

function run(line: string, dataDir = join(folder, 'data')) {
  const environment = { ...withoutSettings(), TOLLBOOK_DATA_DIR: dataDir, TOLLBOOK_DEVCHAIN_PORT: '1' }
  const main = join(folder, 'apps/cli/src/main.ts')
  return runProgram([process.execPath, main, ...line.split(' ')], environment)
}

test('without any app, the list of commands names the package that each needs', async () => {
  install()
  const { code, stdout, stderr } = await run('--help')
  assert.deepEqual([code, stderr], [0, ''])
  assert.match(stdout, /^ {2}publish .+\. Needs npm install @tollbook\/report\.$/m)
  assert.match(stdout, /^ {2}session .+\. Needs npm install @tollbook\/social\.$/m)
  assert.match(stdout, /^ {2}migrate [^.]+\.$/m)
  install(...OPTIONAL)
  assert.doesNotMatch((await run('--help')).stdout, /npm install/)
})

const ADDRESS = `0x${'1'.repeat(40)}`
/** A call of each command that cannot work without a package. */
const NEEDS = {
  start: 'report',
  index: 'report',
  publish: 'report',
  'export payments --out week.csv': 'report',
  'import payments week.csv': 'report',
  'import pages https://docs.example/': 'utility',
  'import social tweets.json': 'social',
  disputes: 'report',
  facilitators: 'report',
  [`report ${ADDRESS}`]: 'report',
  'serve report': 'report',
  'serve social': 'social',
  'serve utility': 'utility',
  'serve inference': 'inference',
  'serve facilitator': 'facilitator',
  'check social': 'social',
  'session jun_sample': 'social',
  'call http://127.0.0.1:4/': 'pay',
  'mcp --budget 1': 'pay',
  'proxy --to http://127.0.0.1:4 --budget 1': 'pay',
  'list http://127.0.0.1:4 --dry-run': 'pay',
  'verify http://127.0.0.1:4/x.json': 'verify',
  'models add whisper-base': 'inference',
  'models add bergamot-en-de': 'utility',
}

test('a command whose package is not installed names it, and ends with 78', async () => {
  install()
  for (const [line, name] of Object.entries(NEEDS)) {
    const { code, stdout, stderr } = await run(line)
    const message = `tollbook: the package @tollbook/${name} is not installed: npm install @tollbook/${name}\n`
    assert.deepEqual([line, code, stdout, stderr], [line, 78, '', message])
  }
})

test('with its package alone, a command gets to its settings or to its work', async () => {
  const noChain = /^tollbook: wrong settings:\n {2}TOLLBOOK_CHAIN_RPC_URL: absent, and no local chain answers/
  install('social')
  const social = await run('serve social')
  assert.equal(social.code, 78)
  assert.match(social.stderr, noChain)
  assert.match((await run('session nobody')).stderr, /^no user named nobody is stored\n$/)
  install('utility')
  assert.match((await run('serve utility')).stderr, noChain)
  install('facilitator')
  assert.match((await run('serve facilitator')).stderr, noChain)
  install('report', 'verify')
  assert.match((await run('start')).stderr, /package @tollbook\/devchain is not installed/)
  for (const line of ['serve report', 'index']) assert.match((await run(line)).stderr, noChain)
  assert.equal((await run('disputes')).stdout, 'no notes\n')
  install('pay')
  assert.match((await run('call http://127.0.0.1:4/')).stderr, /ECONNREFUSED/)
  install('verify')
  assert.match(
    (await run('verify http://127.0.0.1:4/x.json')).stderr,
    /^tollbook verify: cannot read the report/m,
  )
})

test('a package that an installed app lacks is named', async () => {
  install('report')
  const { code, stderr } = await run('index')
  assert.equal(code, 78)
  assert.match(stderr, /^tollbook: the package @tollbook\/verify is not installed/)
})

test('the tables of an app that is no longer installed stay, and those of a new one are added', async () => {
  const data = join(folder, 'moved')
  install('social')
  const first = await run('migrate', data)
  assert.equal(first.code, 0, first.stderr)
  assert.match(first.stdout, /^0058-social$/m)
  assert.doesNotMatch(first.stdout, /report|wallet/)
  install('report', 'verify')
  assert.match((await run('migrate', data)).stdout, /^0058-report$/m)
  install('social')
  assert.equal((await run('migrate', data)).stdout, 'nothing to do\n')
  assert.match((await run('session nobody', data)).stderr, /^no user named nobody is stored\n$/)
})

test('a state is copied, checked and restored without the app of the reports', async () => {
  const data = join(folder, 'kept')
  const copy = join(folder, 'copy')
  install('social')
  assert.equal((await run('migrate', data)).code, 0)
  const copied = await run(`backup ${copy}`, data)
  assert.match(copied.stdout, /none: @tollbook\/report is not installed\n$/, copied.stderr)
  const restored = await run(`restore ${copy}`, join(folder, 'restored'))
  assert.equal(restored.code, 0, restored.stderr)
  assert.match(restored.stdout, /published weeks: not checked, @tollbook\/report is not installed\n/)
  install('report', 'verify')
  assert.match((await run(`restore ${copy} --check`)).stdout, /published weeks: 0\nnothing is missing/)
})
