import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { isSetting } from '@tollbook/runtime/config'
import { readExample, readInstalled } from './readme-example.ts'

const MAX_WORDS = 600
/** An entry point of one of our packages. */
const ENTRY = /@tollbook\/[a-z0-9-]+\/[\w./-]*\w/g
const IMPORTED = /^(?:import|\} from) .*?'((?:@[^/']+\/)?[^@./':][^/':]*)(?:\/[^']*)?'$/gm
/** What these print is the reason to use them, so their READMEs show it. */
const ENGINES = ['a11y', 'calc', 'convert', 'extract', 'vectorize']
const run = promisify(execFile)

// Node strips no types of files in a folder `node_modules`.
mkdirSync('build', { recursive: true })
const examples = mkdtempSync('build/package-readmes-')
after(() => rmSync(examples, { recursive: true }))

type Manifest = { readonly name: string; readonly private?: boolean }

suite('the READMEs of packages and apps', { concurrency: 2 }, () => {
  for (const manifestFile of globSync('{packages,apps}/*/package.json').sort()) {
    const folder = join(manifestFile, '..')
    const { name, private: isPrivate = false } = JSON.parse(readFileSync(manifestFile, 'utf8')) as Manifest
    const file = join(folder, 'README.md')
    const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
    const example = readExample(text)

    test(`${file} has the name of its package, is short, and names what exists`, () => {
      assert.equal(text.split('\n', 1)[0], `# ${name}`)
      const words = text.split(/\s+/).length
      assert.ok(words <= MAX_WORDS, `${words} words`)
      const missing = [...new Set(text.match(ENTRY))].filter((entry) => !isFile(entry))
      assert.deepEqual(missing, [])
      const settings = text.match(/\bTOLLBOOK_[A-Z_]*[A-Z](?![A-Z_…])/g) ?? []
      assert.deepEqual(
        settings.filter((setting) => !isSetting(setting)),
        [],
      )
      const commands = [...text.matchAll(/\b(?:npx )?tollbook ([a-z]+)\b/g)].map(
        ([, command = '']) => command,
      )
      assert.deepEqual(
        commands.filter((command) => !existsSync(`apps/cli/src/commands/${command}.ts`)),
        [],
      )
      // The page of a published package has no files of the repository next to it.
      assert.deepEqual(text.match(/\]\((?!https?:|#)[^)]*\)/g), null)
    })

    if (!isPrivate)
      test(`${file} installs its package, and what its example imports`, () => {
        const imported = [...(example?.code ?? '').matchAll(IMPORTED)].map(([, imports = '']) => imports)
        const named = new Set(readInstalled(text))
        assert.ok(named.has(name))
        assert.deepEqual(
          imported.filter((each) => !named.has(each)),
          [],
        )
        assert.match(text, /Node 24\.12/)
      })

    if (folder.startsWith('packages/'))
      test(`the example of ${file} runs`, async () => {
        assert.ok(example !== undefined, 'no example')
        const { code, printed } = example
        const output = await runExample(join(examples, `${name.replace(/.*\//, '')}.ts`), code)
        assert.notEqual(output, '')
        if (ENGINES.includes(name.replace(/.*\//, ''))) assert.notEqual(printed, undefined)
        if (printed !== undefined) assert.equal(output, printed)
      })
  }
})

/** Whether a package exports it, and it is there. */
function isFile(entry: string): boolean {
  try {
    return existsSync(fileURLToPath(import.meta.resolve(entry)))
  } catch {
    return false
  }
}

/** What a program prints that is a file of this repository, where packages have their names. */
async function runExample(file: string, code: string): Promise<string> {
  writeFileSync(file, code)
  // Otherwise a test within writes for the runner of this one.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const { stdout } = await run(process.execPath, [file], { env, timeout: 60_000 })
  return stdout
}
