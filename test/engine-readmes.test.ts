import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'

const MAX_WORDS = 600
/** A line of an example that prints, and what it prints. */
const PRINTS = /^.*console\.log\(.*\) \/\/ (.+)$/gm
const IMPORT = /'@tollbook\/[^/']+\/([^']+)'/g
const run = promisify(execFile)

for (const name of ['a11y', 'calc', 'convert', 'extract', 'vectorize']) {
  const isPackage = existsSync(`packages/${name}`)
  const folder = isPackage ? `packages/${name}` : `src/engines/${name}`
  // Until it is a package, modules that it will have may be in the folder next to it.
  const fileOf = (path: string) => {
    const paths = isPackage ? [`./src/${path}.ts`] : [`./${path}.ts`, `../${path}.ts`]
    return paths.find((each) => existsSync(join(folder, each))) ?? `${path}.ts`
  }
  const text = readFileSync(join(folder, 'README.md'), 'utf8')

  test(`the example of @tollbook/${name} prints what its README says`, async () => {
    const [, example = ''] = /```ts\n(.*?)```/s.exec(text) ?? []
    const lines = [...example.matchAll(PRINTS)].map(([, printed]) => printed)
    assert.ok(lines.length > 0)
    const code = isPackage ? example : example.replaceAll(IMPORT, (_, path: string) => `'${fileOf(path)}'`)
    const flags = ['--input-type=module-typescript', '--disable-warning=ExperimentalWarning']
    const { stdout } = await run(process.execPath, [...flags, '--eval', code], { cwd: folder })
    assert.deepEqual(stdout.trimEnd().split('\n'), lines)
  })

  test(`the README of @tollbook/${name} is short, and what it names and links exists`, () => {
    const words = text.split(/\s+/).length
    assert.ok(words <= MAX_WORDS, `${words} words`)
    assert.match(text, new RegExp(`npm install @tollbook/${name}\\b`))
    const named = [...text.matchAll(/^\| `@tollbook\/[^/]+\/([^`]+)` \|/gm)].map(([, path = '']) =>
      fileOf(path),
    )
    const linked = [...text.matchAll(/\]\((\.[^)#]+)/g)].map(([, path = '']) => path)
    const missing = [...named, ...linked].filter((path) => globSync(path, { cwd: folder }).length === 0)
    assert.deepEqual(missing, [])
  })
}
