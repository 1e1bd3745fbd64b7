import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { PAID_APPS } from '@tollbook/cli/commands/apps'
import { PROBLEMS } from '@tollbook/http/problem'
import { PROBLEM_GUIDE } from '@tollbook/http/problem-guide'
import { isSetting, SETTINGS } from '@tollbook/runtime/config'
import { REMOVED_SETTINGS } from '@tollbook/runtime/settings/removed-settings'
import { SERVICE_SUFFIXES, serviceSetting } from '@tollbook/runtime/settings/service-settings'

const documents = globSync('{*.md,docs/**/*.md}')
const read = (file: string) => readFileSync(file, 'utf8')
/** A superseded decision may name files and settings that were removed since. */
const superseded = documents.flatMap((file) =>
  [...read(file).matchAll(/^Supersedes \[\d+\]\(([^)]+)\)/gm)].map(([, target = '']) =>
    join(dirname(file), target),
  ),
)
const current = documents.filter((file) => !superseded.includes(file))

test('docs/problems.md lists exactly the problem codes, with the text that the services show', () => {
  const [, ...sections] = read('docs/problems.md').split(/^## /m)
  const shown = sections.map((section) => section.trim().split(/\n+/))
  const guide = Object.entries(PROBLEM_GUIDE).map(([code, paragraphs]) => [code, ...paragraphs])
  assert.deepEqual(shown, guide)
  assert.deepEqual(Object.keys(PROBLEM_GUIDE).toSorted(), Object.keys(PROBLEMS).toSorted())
})

test('docs/settings.md lists exactly the settings', () => {
  const cells = [...read('docs/settings.md').matchAll(/^\| (`TOLLBOOK_.+?) \|/gm)].map(
    ([, cell = '']) => cell,
  )
  const names = cells.flatMap((cell) => [...cell.matchAll(/`(TOLLBOOK_[A-Z_]+)`/g)].map((match) => match[1]))
  const ofServices = PAID_APPS.flatMap((name) =>
    SERVICE_SUFFIXES.map((suffix) => serviceSetting(name, suffix)),
  )
  assert.deepEqual(names.toSorted(), [...Object.keys(SETTINGS), ...ofServices].toSorted())
})

test('docs/dependencies.md lists exactly the dependencies, each with its licence and what it brings', () => {
  const manifests = globSync(['package.json', 'packages/*/package.json', 'apps/*/package.json'])
    .map((file) => JSON.parse(read(file)) as Package & { readonly name: string })
    .filter(({ name }) => name !== '@tollbook/testing')
  const needed = manifests.flatMap(({ dependencies, optionalDependencies }) =>
    Object.keys({ ...dependencies, ...optionalDependencies }),
  )
  const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, Package> }
  const rows = [...read('docs/dependencies.md').matchAll(/^\| `(.+?)` \| .+? \| (.+?) \| (\d+) \|$/gm)]
  const others = [...new Set(needed)].filter((name) => !name.startsWith('@tollbook/'))
  const wanted = others.map((name) => {
    const licence = packages[`node_modules/${name}`]?.license?.replaceAll(/[()]/g, '')
    return `${name}: ${licence}, ${broughtBy(`node_modules/${name}`, packages).size}`
  })
  const said = rows.map(([, name, licence, count]) => `${name}: ${licence}, ${count}`)
  assert.deepEqual(said.toSorted(), wanted.toSorted())
})

type Package = {
  readonly license?: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

/** Folders of the lock that a package needs, each found as Node finds it: in its own folder, or in one above. */
function broughtBy(folder: string, packages: Readonly<Record<string, Package>>, found = new Set<string>()) {
  const { dependencies, optionalDependencies } = packages[folder] ?? {}
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
    const parts = folder.split('/node_modules/')
    const above = parts.map((_, at) => [...parts.slice(0, parts.length - at), name].join('/node_modules/'))
    const at = [...above, `node_modules/${name}`].find((path) => path in packages)
    if (at === undefined || found.has(at)) continue
    found.add(at)
    broughtBy(at, packages, found)
  }
  return found
}

test('every setting is read by a command, or where a service is opened', () => {
  const readers = [
    '{apps/cli,packages/runtime}/src/**/*.ts',
    'apps/*/src/{open,commands}/**/*.ts',
    'packages/models/src/files/*.ts',
  ]
  const commands = globSync(readers, {
    exclude: ['**/*.test.ts', 'packages/runtime/src/{config.ts,settings/**}'],
  })
    .map(read)
    .join('\n')
  const isRead = (name: string) => new RegExp(`\\b${name}\\b`).test(commands)
  assert.deepEqual(
    Object.keys(SETTINGS).filter((name) => !isRead(name)),
    [],
  )
})

test('every setting that a document names exists', () => {
  const unknown = current.flatMap((file) =>
    [...read(file).matchAll(/\bTOLLBOOK_[A-Z_]+[A-Z]\b/g)]
      .map((match) => match[0])
      // Secrets can be read from files.
      .filter(
        (name) =>
          !isSetting(name) &&
          !(file === 'CHANGELOG.md' && name in REMOVED_SETTINGS) &&
          !isSetting(name.replace(/_FILE$/, '')) &&
          !name.startsWith('TOLLBOOK_TEST_'),
      )
      .map((name) => `${file}: ${name}`),
  )
  assert.deepEqual(unknown, [])
})

test('every link to a file leads to a file', () => {
  const broken = documents.flatMap((file) =>
    [...read(file).matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)]
      .map((match) => match[1] ?? '')
      .filter((target) => !existsSync(join(dirname(file), target)))
      .map((target) => `${file} -> ${target}`),
  )
  assert.deepEqual(broken, [])
})

test('every link to a heading leads to a heading', () => {
  const broken = documents.flatMap((file) =>
    [...read(file).matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)#([^)\s]+)\)/g)]
      .map(([, target = '', heading = '']) => ({ target: target && join(dirname(file), target), heading }))
      .filter(({ target, heading }) => !listHeadings(target || file).includes(heading))
      .map(({ target, heading }) => `${file} -> ${target}#${heading}`),
  )
  assert.deepEqual(broken, [])
})

/** Headings of a document as GitHub names them in links. */
function listHeadings(file: string): readonly string[] {
  return [...read(file).matchAll(/^#+ (.+)$/gm)].map(([, text = '']) =>
    text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

test('every file and folder of the repository that a document names exists', () => {
  const missing = current.flatMap((file) =>
    [...read(file).matchAll(/`((?:src|test|docs|bench)\/[\w./[\]{}-]+)`/g)]
      .map((match) => match[1] ?? '')
      .filter((path) => !existsSync(path))
      .map((path) => `${file}: ${path}`),
  )
  assert.deepEqual(missing, [])
})

test('every npm script that a document names exists', () => {
  const scripts = (JSON.parse(read('package.json')) as { scripts: Record<string, string> }).scripts
  const unknown = current.flatMap((file) =>
    [...withoutReleases(file).matchAll(/npm run ([\w-]+)/g)]
      .map((match) => match[1] ?? '')
      .filter((name) => !(name in scripts))
      .map((name) => `${file}: npm run ${name}`),
  )
  assert.deepEqual(unknown, [])
})

/** A document; of the changelog what is not released yet, since a release keeps the words of its time. */
function withoutReleases(file: string): string {
  const [unreleased = ''] = read(file).split(/^## (?!Unreleased)/m)
  return file === 'CHANGELOG.md' ? unreleased : read(file)
}
