import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, globSync, rmSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { promisify } from 'node:util'
import { startHostileFacilitator } from '@tollbook/devchain/hostile-facilitator'
import { startProgram, withoutSettings } from '@tollbook/testing/commands/running-command'
import { makeRunFolder } from '@tollbook/testing/run-folder'
import { findFlaws } from '../../tools/package/find-flaws.ts'
import { PACKED, ROOT, tarballOf } from '../../tools/package/published.ts'
import { readTutorial } from '../read-tutorial.ts'
import { readExample, readInstalled } from '../readme-example.ts'
import { PackedInstall } from './parts/packed-install.ts'

const run = promisify(execFile)
const PARTS = ['REPORT', 'SOCIAL', 'UTILITY', 'INFERENCE', 'FACILITATOR', 'DEVCHAIN']
/** Any address whose key nobody knows: services refuse the accounts of the local chain. */
const PAY_TO = `0x${'5e'.repeat(20)}`
/** What the request of its README gets from each app; inference has no model here, and says so before any payment. */
const STATUSES = { report: 200, social: 402, utility: 402, inference: 503 }
/** Only tests need these, or they are files for graphics cards. */
const UNWANTED = /cuda|vulkan|typescript|playwright|solc/
const TYPES_ARE_CHECKED =
  '--noEmit --strict --module nodenext --target esnext --types node --ignoreConfig --typeRoots'.split(' ')
const compiler = join(ROOT, 'node_modules/typescript/bin/tsc')
/** A Node of this machine that is too old for the product, if there is one. */
const oldNode = (process.env.PATH ?? '')
  .split(delimiter)
  .map((path) => join(path, 'node'))
  .find((file) => existsSync(file) && Number(/\d+/.exec(`${spawnSync(file, ['-v']).stdout}`)?.[0]) < 24)
const noOldNode = oldNode === undefined && 'there is no Node before 24 in the path'

const folder = makeRunFolder('package')
const packed = new PackedInstall(folder)
const environment: NodeJS.ProcessEnv = {
  ...withoutSettings(),
  ...Object.fromEntries(PARTS.map((part) => [`TOLLBOOK_${part}_PORT`, '0'])),
}
let checked = ''

before(async () => {
  // Otherwise npm and the installed programs write for the runner of this test.
  delete environment.NODE_TEST_CONTEXT
  const { stdout } = await run(process.execPath, [join(ROOT, 'tools/package/build.ts'), '--check'])
  checked = stdout
})
// A process of a package may still write its compiled code.
after(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))

test('each published package and app has a tarball that publint and arethetypeswrong accept', () => {
  assert.match(checked, /^publint and arethetypeswrong find nothing$/m)
  for (const { manifest } of packed.published) assert.ok(existsSync(join(PACKED, tarballOf(manifest))))
})

test('a tarball whose entry points lack a file is not accepted', async () => {
  const broken = join(folder, 'broken')
  await run('cp', ['-r', join(PACKED, 'calc'), broken])
  rmSync(join(broken, 'dist/calculate.d.ts'))
  await run('npm', ['pack', '--pack-destination', folder, broken])
  const flaws = await findFlaws(join(folder, 'tollbook-calc-1.0.0.tgz'))
  assert.match(flaws.join('\n'), /^UntypedResolution \.\/calculate node16-esm$/m)
})

test('the tarballs have what runs, declarations, README and licence, and nothing of the tests', async () => {
  const unwanted = /\.test\.|golden|testdata|\.sol$|tsconfig|(?<!\.d)\.ts$/
  for (const { manifest } of packed.published) {
    const { stdout } = await run('tar', ['-tzf', join(PACKED, tarballOf(manifest))])
    const files = stdout.trimEnd().split('\n')
    for (const name of ['LICENSE', 'README.md', 'package.json']) assert.ok(files.includes(`package/${name}`))
    const others = files.filter((name) => !/^package\/(?:dist|docs|bin)\/|^package\/[^/]+$/.test(name))
    assert.deepEqual(others, [], manifest.name)
    assert.deepEqual(
      files.filter((name) => unwanted.test(name)),
      [],
      manifest.name,
    )
  }
})

suite('a package installs alone, and its README runs there', { concurrency: 1 }, () => {
  for (const { manifest, folder: source } of packed.published.filter((each) =>
    each.folder.startsWith('packages/'),
  ))
    test(manifest.name, async () => {
      const readme = packed.readmeOf(manifest.name)
      const example = readExample(readme)
      assert.ok(example)
      const installed = await packed.install(source.replace('/', '-'), readInstalled(readme))
      assert.deepEqual(
        listInstalled(installed).filter((name) => UNWANTED.test(name)),
        [],
      )
      writeFileSync(join(installed, 'example.ts'), example.code)
      const { stdout } = await run(process.execPath, ['example.ts'], { cwd: installed, env: environment })
      assert.notEqual(stdout, '')
      if (example.printed !== undefined) assert.equal(stdout, example.printed)
      const words = [compiler, ...TYPES_ARE_CHECKED, join(ROOT, 'node_modules/@types'), 'example.ts']
      const { status, stdout: errors } = spawnSync(process.execPath, words, { cwd: installed })
      assert.equal(status, 0, `${errors}`)
      await rm(installed, { recursive: true })
    })
})

suite('an app installs alone, and serves what its README says', { concurrency: 1 }, () => {
  for (const [name, expected] of Object.entries(STATUSES))
    test(`@tollbook/${name}`, async () => {
      const readme = packed.readmeOf(`@tollbook/${name}`)
      assert.ok(readme.includes(`npx tollbook serve ${name}`))
      const installed = await packed.install(`apps-${name}`, readInstalled(readme))
      assert.deepEqual(
        listInstalled(installed).filter((each) => UNWANTED.test(each)),
        [],
      )
      await using facilitator = await startHostileFacilitator({ mode: 'honest' })
      const served = await startProgram(
        [process.execPath, join(installed, 'node_modules/.bin/tollbook'), 'serve', name],
        {
          ...environment,
          TOLLBOOK_DATA_DIR: join(installed, 'data'),
          TOLLBOOK_CHAIN_RPC_URL: facilitator.chain.rpcUrl,
          TOLLBOOK_FACILITATOR_URL: facilitator.url,
          ...(name !== 'report' && { [`TOLLBOOK_${name.toUpperCase()}_PAY_TO`]: PAY_TO }),
        },
      )
      try {
        const [, path = '/'] = /curl -i "?http:\/\/127\.0\.0\.1:\d+(\/[^\s"]*)/.exec(readme) ?? []
        const method = readme.includes(" -d '{") ? 'POST' : 'GET'
        const body = method === 'POST' ? (/ -d '(\{.*\})'/.exec(readme)?.[1] ?? '') : undefined
        const headers = { 'content-type': 'application/json' }
        const url = `${served.addresses[name]}${path}`
        const { status } = await fetch(url, { method, headers, ...(body && { body }) })
        assert.equal(status, expected)
      } finally {
        assert.equal(await served.close(), 0)
      }
      await rm(installed, { recursive: true, maxRetries: 5 })
    })
})

test('the tutorial works in an empty folder, with the tarballs', async () => {
  const { files, installs, serve, printed } = readTutorial()
  const installed = await packed.install('tutorial', installs.flat())
  for (const [name, code] of files) writeFileSync(join(installed, name), code)
  const flags = ['--allowImportingTsExtensions', '--skipLibCheck']
  const words = [compiler, ...flags, ...TYPES_ARE_CHECKED, join(ROOT, 'node_modules/@types'), 'roman.test.ts']
  const types = spawnSync(process.execPath, words, { cwd: installed })
  assert.equal(types.status, 0, `${types.stdout}`)
  const { stdout } = await run(process.execPath, ['--test', 'roman.test.ts'], {
    cwd: installed,
    env: environment,
  })
  assert.match(stdout, /each example is served/)
  const served = await startProgram(
    ['sh', '-c', 'cd "$0" && exec node node_modules/.bin/tollbook "$@"', installed, ...serve],
    { ...environment, TOLLBOOK_DATA_DIR: join(installed, 'data') },
  )
  try {
    const bought = await run(process.execPath, ['buy.mjs'], { cwd: installed, env: environment })
    assert.equal(bought.stdout, `${printed}\n`)
  } finally {
    assert.equal(await served.close(), 0)
  }
  await rm(installed, { recursive: true, maxRetries: 5 })
})

suite('all tarballs in one folder', () => {
  let installed = ''
  before(async () => {
    installed = await packed.install(
      'all',
      packed.published.map(({ manifest }) => manifest.name),
    )
  })

  test('nothing is brought for graphics cards or for development', () => {
    const names = listInstalled(installed)
    assert.ok(names.length > 100)
    assert.deepEqual(
      names.filter((name) => UNWANTED.test(name)),
      [],
    )
  })

  test('npx tollbook --help lists the commands', async () => {
    const { stdout } = await run('npx', ['tollbook', '--help'], { cwd: installed, env: environment })
    assert.match(stdout, /^usage: tollbook <command>/)
    assert.doesNotMatch(stdout, /not installed/i)
  })

  test('npx tollbook start sells, and npx tollbook call pays', async () => {
    // npx does not forward signals: the shell sends SIGTERM to the process that npx started, and waits for its end.
    const start =
      'cd "$0"; trap "pkill -TERM -f $0/node_modules/.bin/tollbook" TERM; npx tollbook start & wait $!; wait $!'
    const product = await startProgram(['sh', '-c', start, installed], environment)
    try {
      const { pathname, port } = new URL(product.addresses['dev chain'] ?? '')
      assert.equal(pathname, '/')
      const env = { ...environment, TOLLBOOK_DEVCHAIN_PORT: port }
      const call = (path: string) =>
        run('npx', ['tollbook', 'call', '--yes', `${product.addresses.utility}${path}`], {
          cwd: installed,
          env,
        })
      const { stdout, stderr } = await call('/api/calc?expr=2^10')
      // 2^10 = 1024.
      assert.match(stdout, /\b1024\b/)
      assert.match(stderr, /0x[0-9a-f]{64}/)
      // A job of a worker thread, whose module is found by its URL.
      assert.match((await call('/api/timezone?lat=52.5&lon=13.4')).stdout, /Europe\/Berlin/)
    } finally {
      assert.equal(await product.close(), 0)
    }
  })

  test('an older Node starts the Node of the package', { skip: noOldNode }, async () => {
    const bin = join(installed, 'node_modules/@tollbook/cli/bin/tollbook.js')
    const { stdout } = await run(oldNode ?? '', [bin, '--help'], { env: environment })
    assert.match(stdout, /usage: tollbook/)
    const code = await run(oldNode ?? '', [bin, 'serve', 'nothing']).catch(({ code }) => code)
    assert.equal(code, 2)
  })
})

test('an older Node without that package says in one line what to do', { skip: noOldNode }, () => {
  const copy = join(folder, 'tollbook.mjs')
  copyFileSync(join(PACKED, 'cli/bin/tollbook.js'), copy)
  const ended = spawnSync(oldNode ?? '', [copy, 'start'])
  assert.equal(ended.status, 70)
  assert.match(
    `${ended.stderr}`,
    /^tollbook: Node v\d+\.\d+\.\d+ is too old and .*: install Node 24.12 or newer\n$/,
  )
})

/** The names of all packages in the first level of `node_modules`. */
function listInstalled(installed: string): readonly string[] {
  return globSync('node_modules/{[!@]*,@*/*}', { cwd: installed })
}
