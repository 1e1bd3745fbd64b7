import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { files, importsOf, packageOf, partOf, sources } from './imports.ts'

/** Packages of src/ (a file counts as itself), in their order, and what each may import beside its own. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  flow: [],
  money: [],
  engines: ['flow'],
  state: ['flow'],
  fetching: ['flow'],
  chain: ['flow', 'money'],
  http: ['flow'],
  payments: ['flow', 'money', 'engines', 'state', 'fetching', 'chain', 'http'],
  catalogue: ['flow', 'money', 'engines', 'state', 'chain', 'http', 'payments'],
  upstream: ['flow', 'http', 'fetching'],
  workers: ['flow', 'http'],
  webhooks: ['flow', 'state', 'fetching'],
  images: ['flow', 'engines', 'http', 'catalogue', 'fetching', 'upstream', 'workers'],
  models: ['flow', 'money', 'engines', 'fetching', 'workers'],
  discovery: ['flow', 'money', 'chain'],
  facilitator: ['flow', 'money', 'state', 'fetching', 'chain', 'http', 'catalogue', 'payments', 'discovery'],
  buying: ['flow', 'money', 'state', 'fetching', 'chain', 'http', 'catalogue', 'payments'],
  // Only its folder node, which pages leave out, imports fetching.
  verify: ['flow', 'money', 'chain', 'fetching'],
  devchain: ['flow', 'money', 'state', 'fetching', 'chain', 'catalogue', 'payments'],
  runtime: 'flow money state fetching chain http catalogue workers payments facilitator devchain'.split(' '),
  report: [
    'flow',
    'money',
    'engines',
    'state',
    'fetching',
    'chain',
    'http',
    'catalogue',
    'webhooks',
    'discovery',
    'verify',
    'devchain',
    'runtime',
  ],
  social: [
    'flow',
    'money',
    'engines',
    'state',
    'http',
    'catalogue',
    'fetching',
    'upstream',
    'workers',
    'models',
    'payments',
    'runtime',
  ],
  utility: [
    'flow',
    'money',
    'engines',
    'state',
    'http',
    'catalogue',
    'fetching',
    'upstream',
    'workers',
    'images',
    'models',
    'payments',
    'runtime',
  ],
  inference: [
    'flow',
    'money',
    'state',
    'http',
    'catalogue',
    'fetching',
    'upstream',
    'workers',
    'images',
    'models',
    'payments',
    'runtime',
  ],
}
const EVERYTHING = new Set(['main.ts', 'commands'])
/** Folders and files of these packages, each of which may import only those before it. */
const ORDER_WITHIN: Record<string, readonly string[]> = {
  engines:
    'json colour a11y calc convert email extract icons pdf ocr summary timezone tokens vectorize'.split(' '),
  chain:
    'hex.ts words.ts topics.ts keccak.ts checksum-address.ts wallet-address.ts digests.ts secp256k1.ts recover-purely.ts recover.ts message-signer.ts key-signer.ts multicall.ts sign-transaction.ts rpc blocks.ts signature-validator.ts wallet-signatures.ts'.split(
      ' ',
    ),
  http: ['problem.ts', 'problem-guide.ts', 'request', 'reply', 'page.ts', 'operations', 'server'],
  utility:
    'state ocr page browser dns email geo probe model search translate vectorize wallet scratchpad store ports.ts endpoints service.ts open'.split(
      ' ',
    ),
  report:
    'state chain ledger screen listings claims build evidence run editions served pages routes pipeline pipeline.ts service.ts open'.split(
      ' ',
    ),
  runtime: ['settings', 'config.ts', 'places', 'process', 'state', 'chain', 'check', 'selling', 'app.ts'],
}
const FORBIDDEN_NAMES = /^(utils?|helpers?|common|misc|shared|lib)(\.ts)?$/
const MAX_FILE_LINES = 300
const MAX_MEDIAN_LINES = 120

/** A biome plugin: TypeScript does not check the members of a spread literal for unknown properties. */
const LITERAL_SPREAD_RULE = 'tools/lint/no-literal-spread.grit'

test('a package may import only earlier packages', () => {
  const order = Object.keys(MAY_IMPORT)
  const wrong = Object.entries(MAY_IMPORT).flatMap(([folder, others]) =>
    others
      .filter((other) => !order.slice(0, order.indexOf(folder)).includes(other))
      .map((other) => [folder, other]),
  )
  assert.deepEqual(wrong, [])
})

test('every folder of src is in the order of imports', () => {
  const unknown = new Set(
    sources.map(packageOf).filter((folder) => !(folder in MAY_IMPORT) && !EVERYTHING.has(folder)),
  )
  assert.deepEqual([...unknown], [])
})

test('no file imports from a later folder', () => {
  const wrong = sources.flatMap((file) => {
    const folder = packageOf(file)
    if (EVERYTHING.has(folder)) return []
    const allowed = new Set([folder, ...(MAY_IMPORT[folder] ?? [])])
    return importsOf(file)
      .filter((target) => !allowed.has(packageOf(target)))
      .map((target) => `${file} -> ${target}`)
  })
  assert.deepEqual(wrong, [])
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

test('every part of the chain, the engines, HTTP, the report, the runtime and the utility service is in the order within its package', () => {
  const unknown = sources
    .filter((file) => ['chain', 'engines', 'http', 'report', 'runtime', 'utility'].includes(packageOf(file)))
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
