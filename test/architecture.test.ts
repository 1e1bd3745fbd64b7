import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { files, folderOf, importsOf, packageOf, partOf, sources } from './imports.ts'

/** The packages and apps in their order: each may import only those before it. */
const ORDER =
  'flow safe-fetch chain store http workers upstream webhooks gate channels endpoints facilitator pay verify devchain runtime models a11y calc convert extract vectorize report social utility inference cli'.split(
    ' ',
  )
/** Folders and files of these packages, each of which may import only those before it. */
const ORDER_WITHIN: Record<string, readonly string[]> = {
  chain:
    'contracts.ts hex.ts network.ts usdc.ts words.ts topics.ts keccak.ts dev-accounts.ts checksum-address.ts wallet-address.ts read-network-file.ts digests.ts secp256k1.ts recover-purely.ts recover.ts message-signer.ts key-signer.ts multicall.ts sign-transaction.ts read-transaction.ts typed-data.ts ether.ts rpc blocks.ts signature-validator.ts wallet-signatures.ts'.split(
      ' ',
    ),
  http: ['problem.ts', 'problem-guide.ts', 'request', 'reply', 'page.ts', 'operations', 'server'],
  utility:
    'engines state ocr page browser dns email geo probe model search translate vectorize wallet scratchpad store ports.ts endpoints service.ts open commands'.split(
      ' ',
    ),
  report:
    'state chain ledger screen listings claims build evidence run editions served pages routes pipeline pipeline.ts service.ts open commands'.split(
      ' ',
    ),
  runtime: [
    'settings',
    'config.ts',
    'places',
    'process',
    'state',
    'chain',
    'check',
    'selling',
    'app.ts',
    'declared-app.ts',
  ],
}
const FORBIDDEN_NAMES = /^(utils?|helpers?|common|misc|shared|lib)(\.ts)?$/
const MAX_FILE_LINES = 300
const MAX_MEDIAN_LINES = 120

/** A biome plugin: TypeScript does not check the members of a spread literal for unknown properties. */
const LITERAL_SPREAD_RULE = 'tools/lint/no-literal-spread.grit'

test('every package and app is in the order', () => {
  const folders = globSync(['packages/*/package.json', 'apps/*/package.json']).map(packageOf)
  assert.deepEqual(folders.sort(), [...ORDER, 'testing'].sort())
})

test('a package depends only on packages before it', () => {
  const wrong = ORDER.flatMap((name) =>
    dependenciesOf(name)
      .filter((other) => !ORDER.slice(0, ORDER.indexOf(name)).includes(other))
      .map((other) => `${name} -> ${other}`),
  )
  assert.deepEqual(wrong, [])
})

test('a package imports those that its package.json names, and names no other', () => {
  const differing = ORDER.flatMap((name) => {
    const own = sources.filter((file) => packageOf(file) === name)
    const imported = new Set(own.flatMap((file) => importsOf(file).map(packageOf)))
    imported.delete(name)
    const [used, named] = [[...imported].sort(), dependenciesOf(name).toSorted()]
    return used.join() === named.join() ? [] : [{ name, used, named }]
  })
  assert.deepEqual(differing, [])
})

test('each folder within a package imports only the folders before it', () => {
  const wrong = sources.flatMap((file) => {
    const order = ORDER_WITHIN[packageOf(file)] ?? []
    const at = order.indexOf(partOf(file))
    if (at < 0) return []
    return importsOf(file)
      .filter((target) => packageOf(target) === packageOf(file) && order.indexOf(partOf(target)) > at)
      .map((target) => `${file} -> ${target}`)
  })
  assert.deepEqual(wrong, [])
})

test('every part of these packages is in the order within its package', () => {
  const unknown = sources
    .filter((file) => packageOf(file) in ORDER_WITHIN)
    .filter((file) => !ORDER_WITHIN[packageOf(file)]?.includes(partOf(file)))
  assert.deepEqual(unknown, [])
})

test('no file imports itself, directly or indirectly', () => {
  const imports = new Map(files.map((file) => [file, importsOf(file)]))
  const isDone = new Set<string>()
  const findCycle = (file: string, way: readonly string[]): readonly string[] | undefined => {
    if (way.includes(file)) return [...way.slice(way.indexOf(file)), file]
    if (isDone.has(file)) return
    const longer = [...way, file]
    const cycle = imports
      .get(file)
      ?.reduce<readonly string[] | undefined>(
        (found, target) => found ?? findCycle(target, longer),
        undefined,
      )
    isDone.add(file)
    return cycle
  }
  assert.deepEqual(
    files.map((file) => findCycle(file, [])).find((cycle) => cycle),
    undefined,
  )
})

test('no folder or file has a meaningless name', () => {
  assert.deepEqual(
    files.filter((file) => file.split('/').some((part) => FORBIDDEN_NAMES.test(part))),
    [],
  )
})

test(`no file is longer than ${MAX_FILE_LINES} lines, and half of them are below ${MAX_MEDIAN_LINES}`, () => {
  const sizes = files
    .map((file) => ({ file, lines: readFileSync(file, 'utf8').split('\n').length - 1 }))
    .sort((one, other) => one.lines - other.lines)
  assert.deepEqual(
    sizes.filter(({ lines }) => lines > MAX_FILE_LINES),
    [],
  )
  assert.ok((sizes[sizes.length >> 1]?.lines ?? 0) < MAX_MEDIAN_LINES)
})

test('only config.ts reads the environment of the process', () => {
  assert.deepEqual(
    sources.filter(
      (file) => file !== 'packages/runtime/src/config.ts' && /process\.env/.test(readFileSync(file, 'utf8')),
    ),
    [],
  )
})

test('no module has a default export', () => {
  assert.deepEqual(
    files.filter((file) => /^export default /m.test(readFileSync(file, 'utf8'))),
    [],
  )
})

test('the linter refuses to spread a literal, and allows a conditional spread', (t) => {
  const refused = [
    'export const a = { ...{ x: 1 }, y: 2 }',
    'export const b = {\n  ...{\n    x: 1,\n  },\n}',
    'export const c = { ...({ x: 1 } as const) }',
    'export const d = [...[1, 2], 3]',
    'export const e = Math.max(...[1, 2])',
    'export const f = new Set([...([1] satisfies number[])])',
  ]
  const allowed = [
    'export const g = (x: boolean) => ({ ...(x && { y: 1 }), ...(x ? { y: 1 } : {}) })',
    'export const h = (list: number[]) => [...list, ...[1, 2].map(String)]',
  ]
  const folder = mkdtempSync(join(tmpdir(), 'tollbook-lint-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'biome.json'), JSON.stringify({ plugins: [resolve(LITERAL_SPREAD_RULE)] }))
  const linted = [...refused, ...allowed].map((text, at) => ({ name: `${at}.ts`, text }))
  for (const { name, text } of linted) writeFileSync(join(folder, name), `${text}\n`)
  const lint = [resolve('node_modules/@biomejs/biome/bin/biome'), 'lint', '--reporter=github']
  const { stdout } = spawnSync(process.execPath, lint, { cwd: folder, encoding: 'utf8' })
  const found = [...stdout.matchAll(/title=plugin,file=.*\b(\d+)\.ts,/g)].map(([, at]) => Number(at))
  assert.deepEqual([...new Set(found)].sort(), [...refused.keys()], stdout)
  assert.match(readFileSync('biome.json', 'utf8'), new RegExp(LITERAL_SPREAD_RULE))
})

/** The packages of this repository that a package names as those it needs or may use. */
function dependenciesOf(name: string): readonly string[] {
  const { dependencies, optionalPeers = [] } = JSON.parse(
    readFileSync(`${folderOf(name)}/package.json`, 'utf8'),
  ) as { readonly dependencies?: Record<string, string>; readonly optionalPeers?: readonly string[] }
  return [...Object.keys(dependencies ?? {}), ...optionalPeers]
    .filter((other) => other.startsWith('@tollbook/'))
    .map((other) => other.slice('@tollbook/'.length))
}
