import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { runCommand, startProgram, withoutSettings } from '@tollbook/testing/commands/running-command'
import { makeRunFolder } from '@tollbook/testing/run-folder'

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, '../..')
const PARTS = ['REPORT', 'SOCIAL', 'UTILITY', 'INFERENCE', 'FACILITATOR', 'DEVCHAIN']
const missing = ['buildah', 'debootstrap'].filter((program) => spawnSync(program, ['--version']).error)
const skip =
  process.getuid?.() !== 0
    ? 'needs root'
    : missing.length > 0 && `needs the Debian packages ${missing.join(' and ')}`

/** What an image says about how it is run; the OCI's field names. */
type ImageConfig = {
  readonly User: string
  readonly Env: readonly string[]
  readonly Entrypoint: readonly string[]
  readonly Cmd: readonly string[]
  readonly Healthcheck?: { readonly Test: readonly string[] }
}

let folder: string
let root: string
let image: ImageConfig

/** Without a container engine: steps run in a chroot, and layers are plain folders. */
async function buildah(...words: readonly string[]): Promise<string> {
  const storage = [
    '--root',
    join(folder, 'storage'),
    '--runroot',
    join(folder, 'run'),
    '--storage-driver',
    'vfs',
  ]
  const { stdout } = await run('buildah', [...storage, ...words], { cwd: ROOT, maxBuffer: 2 ** 26 })
  return stdout.trim()
}

/** The bases, made of Debian's packages: one as it is, one with Node and npm, as in Node's own images. */
async function makeBases(): Promise<void> {
  const debian = join(folder, 'debian')
  await run('debootstrap', ['--variant=minbase', 'bookworm', debian])
  const base = await buildah('from', 'scratch')
  await buildah('add', base, debian, '/')
  await buildah('commit', base, 'debian-base')
  const npm = join(`${spawnSync('npm', ['root', '--global']).stdout}`.trim(), 'npm')
  await buildah('add', base, process.execPath, '/usr/local/bin/node')
  await buildah('add', base, npm, '/usr/local/lib/node_modules/npm')
  await buildah(
    'run',
    '--isolation',
    'chroot',
    base,
    'ln',
    '-s',
    '../lib/node_modules/npm/bin/npm-cli.js',
    '/usr/local/bin/npm',
  )
  const authorities = process.env.NODE_EXTRA_CA_CERTS
  if (authorities !== undefined) {
    await buildah('add', base, authorities, '/usr/local/authorities.crt')
    await buildah('config', '--env', 'NODE_EXTRA_CA_CERTS=/usr/local/authorities.crt', base)
  }
  await buildah('commit', '--rm', base, 'node-base')
  rmSync(debian, { recursive: true })
}

before(async () => {
  if (skip) return
  folder = makeRunFolder('image')
  await makeBases()
  const bases = ['--build-arg', 'BUILD_BASE=localhost/node-base', '--build-arg', 'BASE=localhost/debian-base']
  const file = ['--format', 'docker', '--file', 'ops/image/Dockerfile', '--tag', 'tollbook']
  await buildah('bud', '--isolation', 'chroot', '--pull-never', ...bases, ...file, '.')
  const container = await buildah('from', '--pull-never', 'localhost/tollbook')
  root = await buildah('mount', container)
  const inspected = JSON.parse(await buildah('inspect', '--type', 'image', 'localhost/tollbook'))
  image = (inspected as { readonly Docker: { readonly config: ImageConfig } }).Docker.config
})
after(() => {
  if (folder) rmSync(folder, { recursive: true, force: true })
})

test('the image has no npm, compiler or development package, and no test', { skip }, () => {
  for (const name of ['usr/bin/gcc', 'usr/bin/make', 'usr/local/bin/npm', 'app/node_modules/playwright-core'])
    assert.ok(!existsSync(join(root, name)), name)
  assert.ok(existsSync(join(root, 'app/apps/cli/src/main.ts')))
  assert.ok(!existsSync(join(root, 'app/apps/cli/src/main.test.ts')))
})

test('as its user on a read-only root, the image starts, sells a call and is healthy', { skip }, async () => {
  assert.equal(image.User, '10001:10001')
  const settings = [...PARTS.map((part) => `TOLLBOOK_${part}_PORT=0`), 'TOLLBOOK_BROWSER=off']
  const environment = ['env', '-i', 'PATH=/usr/bin:/bin', ...image.Env, ...settings]
  // Its own mounts: the root read-only, and what an engine adds, with the volume.
  const script = `mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && mount -t proc proc "$0/proc" &&
    mount --rbind /dev "$0/dev" && mount -t tmpfs tmp "$0/tmp" && mount -t tmpfs -o uid=10001,gid=10001 data "$0/data" &&
    exec chroot --userspec="${image.User}" "$0" "$@"`
  const command = [...environment, ...image.Entrypoint, ...image.Cmd]
  const product = await startProgram(
    ['unshare', '--mount', 'sh', '-c', script, root, ...command],
    withoutSettings(),
  )
  try {
    const port = new URL(product.addresses['dev chain'] ?? '').port
    const url = `${product.addresses.utility}/api/calc?expr=2^10`.replace('0.0.0.0', '127.0.0.1')
    const paid = await runCommand(['call', '--yes', url], {
      ...withoutSettings(),
      TOLLBOOK_DEVCHAIN_PORT: port,
    })
    assert.equal(paid.code, 0, paid.stderr)
    // 2^10 = 1024.
    assert.match(paid.stdout, /\b1024\b/)
    assert.match(paid.stderr, /0x[0-9a-f]{64}/)
    const [kind, program, ...words] = image.Healthcheck?.Test ?? []
    assert.equal(kind, 'CMD')
    const check = (healthPort: string) =>
      spawnSync('chroot', [root, 'env', `HEALTH_PORT=${healthPort}`, program ?? '', ...words]).status
    assert.equal(check(new URL(url).port), 0)
    assert.notEqual(check('1'), 0)
  } finally {
    await product.close()
  }
})
