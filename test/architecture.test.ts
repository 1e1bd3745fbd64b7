import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { test } from 'node:test'

/** Folders of src/ (a file counts as itself) and what each may import beside its own. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  'config.ts': [],
  money: [],
  state: ['money'],
  catalogue: ['money', 'state'],
  fetching: ['money', 'state'],
  upstream: ['catalogue', 'fetching'],
  workers: ['catalogue'],
  models: ['money', 'state', 'fetching', 'workers'],
  payments: ['money', 'state', 'catalogue', 'fetching'],
  utility: ['money', 'state', 'catalogue', 'fetching', 'upstream', 'workers', 'models', 'payments'],
  social: ['money', 'state', 'catalogue', 'fetching', 'upstream', 'workers', 'models', 'payments'],
  inference: ['money', 'state', 'catalogue', 'fetching', 'upstream', 'workers', 'models', 'payments'],
  report: ['money', 'state', 'catalogue', 'fetching'],
  devchain: ['money', 'state', 'catalogue', 'fetching', 'payments', 'report'],
}
const EVERYTHING = new Set(['main.ts', 'commands'])
const REPORT_STAGES = ['chain', 'ledger', 'screen', 'listings', 'claims', 'build', 'publish', 'verify']
const FORBIDDEN_NAMES = /^(utils?|helpers?|common|misc|shared|lib)(\.ts)?$/
const LONGEST_FILE_LINES = 300

const files = globSync('{src,test,bench,quality}/**/*.ts')
const sources = files.filter((file) => file.startsWith('src/') && !file.endsWith('.test.ts'))
const roomOf = (file: string) => file.split('/')[1] ?? ''

function importsOf(file: string): string[] {
  const text = readFileSync(file, 'utf8')
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g)].map((match) =>
    normalize(join(dirname(file), match[1] ?? '')),
  )
}

test('every folder of src stands in the order of imports', () => {
  const unknown = new Set(
    sources.map(roomOf).filter((room) => !(room in MAY_IMPORT) && !EVERYTHING.has(room)),
  )
  assert.deepEqual([...unknown], [])
})

test('no file imports from a folder that stands after its own', () => {
  const wrong = sources.flatMap((file) => {
    const room = roomOf(file)
    if (EVERYTHING.has(room)) return []
    const allowed = new Set([room, ...(MAY_IMPORT[room] ?? [])])
    return importsOf(file)
      .filter((target) => !allowed.has(roomOf(target)))
      .map((target) => `${file} -> ${target}`)
  })
  assert.deepEqual(wrong, [])
})

test('each report stage imports only the stages before it', () => {
  const wrong = sources.flatMap((file) => {
    const at = REPORT_STAGES.indexOf(file.split('/')[2] ?? '')
    if (roomOf(file) !== 'report' || at < 0) return []
    return importsOf(file)
      .filter((target) => roomOf(target) === 'report')
      .filter((target) => REPORT_STAGES.indexOf(target.split('/')[2] ?? '') > at)
      .map((target) => `${file} -> ${target}`)
  })
  assert.deepEqual(wrong, [])
})

test('no folder or file has a name that says nothing', () => {
  assert.deepEqual(
    files.filter((file) => file.split('/').some((part) => FORBIDDEN_NAMES.test(part))),
    [],
  )
})

test(`no file is longer than ${LONGEST_FILE_LINES} lines`, () => {
  const long = files
    .map((file) => ({ file, lines: readFileSync(file, 'utf8').split('\n').length - 1 }))
    .filter(({ lines }) => lines > LONGEST_FILE_LINES)
  assert.deepEqual(long, [])
})

test('only config.ts reads the environment of the process', () => {
  assert.deepEqual(
    sources.filter((file) => file !== 'src/config.ts' && /process\.env/.test(readFileSync(file, 'utf8'))),
    [],
  )
})

test('no module keeps a default export', () => {
  assert.deepEqual(
    files.filter((file) => /^export default /m.test(readFileSync(file, 'utf8'))),
    [],
  )
})
