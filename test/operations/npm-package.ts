import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'
import { copyFile, rm, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { startProgram, withoutSettings } from '@tollbook/testing/commands/running-command'
import { makeRunFolder } from '@tollbook/testing/run-folder'

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, '../..')
const PARTS = ['REPORT', 'SOCIAL', 'UTILITY', 'INFERENCE', 'FACILITATOR', 'DEVCHAIN']
/** A Node of this machine that is too old for the product, if there is one. */
const oldNode = (process.env.PATH ?? '')
  .split(delimiter)
  .map((folder) => join(folder, 'node'))
  .find((file) => existsSync(file) && Number(/\d+/.exec(`${spawnSync(file, ['-v']).stdout}`)?.[0]) < 24)
const noOldNode = oldNode === undefined && 'there is no Node before 24 in the path'

let folder: string
let files: readonly string[]

before(async () => {
  folder = makeRunFolder('package')
  await run(process.execPath, [join(ROOT, 'tools/package/build.ts')])
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder, './build/package'], {
    cwd: ROOT,
  })
  const packed: unknown = JSON.parse(stdout)
  const [{ filename, files: listed }] = packed as [
    { readonly filename: string; readonly files: readonly { readonly path: string }[] },
  ]
  files = listed.map(({ path }) => path)
  await writeFile(join(folder, 'package.json'), '{"type":"module"}')
  await run('npm', ['install', join(folder, filename), '--cache', join(folder, 'cache'), '--no-audit'], {
    cwd: folder,
  })
})
// A process of the package may still write its compiled code.
after(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))

test('the tarball has what runs, its declarations and documents, and nothing of the tests', () => {
  const kinds = ['dist/main.js', 'dist/engines/calc/calculate.d.ts', 'docs/problems.md', 'LICENSE']
  for (const name of kinds) assert.ok(files.includes(name), name)
  const others = files.filter((name) => !/^(?:dist|docs|bin)\/|^[A-Z]+(?:\.md)?$|^package\.json$/.test(name))
  assert.deepEqual(others, [])
  const unwanted = /\.test\.|golden|testdata|\.sol$|(?<!\.d)\.ts$/
  assert.deepEqual(
    files.filter((name) => unwanted.test(name)),
    [],
  )
})

test('an install in an empty folder brings no files for graphics cards and no development', () => {
  const folders = globSync('node_modules/{*,@*/*}', { cwd: folder })
  assert.ok(folders.length > 100)
  assert.deepEqual(
    folders.filter((name) => /cuda|vulkan|typescript|playwright|solc/.test(name)),
    [],
  )
})

test('npx tollbook start sells, and npx tollbook call pays', async () => {
  const environment: NodeJS.ProcessEnv = {
    ...withoutSettings(),
    ...Object.fromEntries(PARTS.map((part) => [`TOLLBOOK_${part}_PORT`, '0'])),
  }
  // npx does not forward signals: the shell sends SIGTERM to the process that npx started, and waits for its end.
  const start =
    'cd "$0"; trap "pkill -TERM -f $0/node_modules/.bin/tollbook" TERM; npx tollbook start & wait $!; wait $!'
  const product = await startProgram(['sh', '-c', start, folder], environment)
  try {
    environment.TOLLBOOK_DEVCHAIN_PORT = new URL(product.addresses['dev chain'] ?? '').port
    const url = `${product.addresses.utility}/api/calc?expr=2^10`
    const { stdout, stderr } = await run('npx', ['tollbook', 'call', '--yes', url], {
      cwd: folder,
      env: environment,
    })
    // 2^10 = 1024.
    assert.match(stdout, /\b1024\b/)
    assert.match(stderr, /0x[0-9a-f]{64}/)
    // A job of a worker thread, whose module is found by its URL.
    const made = await run(
      'npx',
      ['tollbook', 'call', '--yes', `${product.addresses.utility}/api/timezone?lat=52.5&lon=13.4`],
      {
        cwd: folder,
        env: environment,
      },
    )
    assert.match(made.stdout, /Europe\/Berlin/)
  } finally {
    assert.equal(await product.close(), 0)
  }
})

test('the declarations of the engines describe what they export', async () => {
  const source =
    "import { calculate } from 'tollbook/engines/calc/calculate'\nexport const answer: string = calculate\n"
  await writeFile(join(folder, 'use.ts'), source)
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc')
  const options = [
    '--noEmit',
    '--strict',
    '--module',
    'nodenext',
    '--target',
    'es2024',
    '--ignoreConfig',
    'use.ts',
  ]
  const { stdout } = spawnSync(process.execPath, [compiler, ...options], { cwd: folder })
  // The one error shows that the type of the function was read: it is no string.
  assert.equal(`${stdout}`.match(/error TS/g)?.length, 1, `${stdout}`)
  assert.match(`${stdout}`, /use\.ts\(2,14\): error TS2322/)
})

test('an older Node starts the Node of the package', { skip: noOldNode }, async () => {
  const bin = join(folder, 'node_modules/tollbook/bin/tollbook.js')
  const { stdout } = await run(oldNode ?? '', [bin, '--help'])
  assert.match(stdout, /usage: tollbook/)
  const code = await run(oldNode ?? '', [bin, 'serve', 'nothing']).catch(
    (error: { code: number }) => error.code,
  )
  assert.equal(code, 2)
})

test('an older Node without that package says in one line what to do', { skip: noOldNode }, async () => {
  const elsewhere = makeRunFolder('package-alone')
  after(() => rm(elsewhere, { recursive: true, force: true }))
  await copyFile(join(ROOT, 'tools/package/tollbook.js'), join(elsewhere, 'tollbook.mjs'))
  const ended = spawnSync(oldNode ?? '', [join(elsewhere, 'tollbook.mjs'), 'start'])
  assert.equal(ended.status, 70)
  assert.match(
    `${ended.stderr}`,
    /^tollbook: Node v\d+\.\d+\.\d+ is too old and .*: install Node 24.12 or newer\n$/,
  )
})
