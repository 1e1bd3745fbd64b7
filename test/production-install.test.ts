import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { test } from 'node:test'
import { folderOf, packageOf, sources } from './imports.ts'

/** Imports of packages, without those of types. */
const PATTERN =
  /^(?!(?:import|export) type)(?:import|export|\}).* from '([^'.][^':]*)'|\bimport\('([^'.][^':]*)'\)/gm

/** Shows an example of a client as text. */
const WITH_EXAMPLE = 'packages/endpoints/src/documents/docs-page.ts'

test('each package imports only what an install of it alone brings', () => {
  const found = sources
    .filter((file) => file !== WITH_EXAMPLE)
    .flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(PATTERN)]
        .map((match) => match[1] ?? match[2] ?? '')
        .map((path) => path.split('/', path.startsWith('@') ? 2 : 1).join('/'))
        .filter((name) => name !== '' && !broughtBy(packageOf(file)).has(name))
        .map((name) => ({ file, name })),
    )
  assert.deepEqual(found, [])
  assert.ok(sources.length > 1_000)
})

/** An import that exists at run time, and its path; a module that is loaded later is none of these. */
const STATIC = /^(?:import|export)(?! type\b)[^'()]*?(?:from )?'([^']+)'/gm

test('a package brings the optional peers of each module of ours that it loads', () => {
  const missing = new Set<string>()
  for (const name of new Set(sources.map(packageOf))) {
    const installed = installOf(name)
    const loaded = new Set(sources.filter((file) => packageOf(file) === name))
    // A set iterates over what is added to it on the way.
    for (const file of loaded)
      for (const path of staticImportsOf(file)) {
        const own = fileOf(file, path)
        if (own !== undefined) loaded.add(own)
        else if (packageOf(file) !== name && isOptionalPeer(packageOf(file), path) && !installed.has(path))
          missing.add(`${name}: ${path}, which ${file} imports`)
      }
  }
  assert.deepEqual([...missing], [])
})

test('the gate, the chain and the store bring no logger, no metrics, no server, and no viem; the facilitator has none, too', () => {
  const heavy = ['pino', 'prom-client', 'hono', '@hono/node-server', 'viem']
  for (const name of ['flow', 'chain', 'store', 'gate', 'channels', 'webhooks', 'upstream', 'workers'])
    assert.deepEqual(
      heavy.filter((each) => installOf(name).has(each)),
      [],
      name,
    )
  for (const name of ['facilitator', 'runtime', 'report', 'social'])
    assert.ok(!installOf(name).has('viem'), name)
})

/** The packages that an install of one of ours brings: those that it and our packages below it name. */
function installOf(name: string): ReadonlySet<string> {
  const names = new Set([`@tollbook/${name}`])
  for (const each of names) {
    if (!each.startsWith('@tollbook/')) continue
    const { dependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} } = manifestOf(each)
    const peers = Object.keys(peerDependencies).filter((peer) => !peerDependenciesMeta[peer]?.optional)
    for (const brought of [...Object.keys(dependencies), ...peers]) names.add(brought)
  }
  return names
}

function isOptionalPeer(name: string, path: string): boolean {
  return manifestOf(`@tollbook/${name}`).peerDependenciesMeta?.[path]?.optional === true
}

type Manifest = {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
}

function manifestOf(name: string): Manifest {
  const folder = folderOf(name.replace('@tollbook/', ''))
  return JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')) as Manifest
}

const staticImports = new Map<string, readonly string[]>()

function staticImportsOf(file: string): readonly string[] {
  const known = staticImports.get(file)
  if (known) return known
  const paths = [...readFileSync(file, 'utf8').matchAll(STATIC)].map(([, path = '']) => path)
  staticImports.set(file, paths)
  return paths
}

/** The file of this repository that a path names. */
function fileOf(importer: string, path: string): string | undefined {
  if (path.startsWith('.')) return normalize(join(dirname(importer), path))
  const [, name = '', rest] = /^@tollbook\/([^/]+)\/(.+)$/.exec(path) ?? []
  return rest === undefined ? undefined : `${folderOf(name)}/src/${rest}.ts`
}

const brought = new Map<string, ReadonlySet<string>>()

/** What a package may import: itself and what its package.json names, optional packages included. */
function broughtBy(name: string): ReadonlySet<string> {
  const known = brought.get(name)
  if (known) return known
  const manifest = JSON.parse(readFileSync(`${folderOf(name)}/package.json`, 'utf8'))
  const { dependencies, optionalDependencies, peerDependencies, optionalPeers = [] } = manifest
  const names = new Set([
    manifest.name,
    ...Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies }),
    ...optionalPeers,
  ])
  brought.set(name, names)
  return names
}
