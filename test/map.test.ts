import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { test } from 'node:test'

const MAP = 'docs/architecture.md'
const text = readFileSync(MAP, 'utf8')
/** Their READMEs describe their parts. */
const BY_README = /^packages\/(a11y|calc|convert|extract|vectorize|testing)\/src\//
const named = new Set([...text.matchAll(/`([^`\s]+)`/g)].map(([, name = '']) => name.replace(/\/$/, '')))

test('the map names every folder of the repository, and those of packages and apps down to their parts', () => {
  const [tops, below] = [
    globSync('{*,.ci,.github}/'),
    globSync(['{packages,apps}/*/', '{packages,apps}/*/src/*/']),
  ]
  const folders = [...tops, ...below]
    .map((folder) => folder.replace(/\/$/, ''))
    .filter(holdsFiles)
    .filter((folder) => !BY_README.test(folder) && !folder.endsWith('/golden'))
  assert.deepEqual(
    folders.filter((folder) => !named.has(folder)),
    [],
  )
})

test('every file and folder that the map names exists', () => {
  const paths = [...named].filter((name) =>
    /^(packages|apps|src|docs|test|tools|ops|\.ci)\/[^<>]+$/.test(name),
  )
  assert.ok(paths.length > 100)
  assert.deepEqual(
    paths.filter((path) => !existsSync(path)),
    [],
  )
})

test('AGENTS.md names every scenario of npm run operations', () => {
  const names = globSync('test/operations/*.ts').map((file) => basename(file).replace(/(\.test)?\.ts$/, ''))
  const agents = readFileSync('AGENTS.md', 'utf8')
  assert.deepEqual(
    names.filter((name) => !agents.includes(`\n- \`${name}\`: `)),
    [],
  )
})

/** Whether it belongs to the repository, and is not an empty rest of a folder that was moved. */
function holdsFiles(folder: string): boolean {
  if (/^(node_modules|build|data|\.git)$/.test(folder)) return false
  return globSync(`${folder}/**/*.*`).length > 0
}
