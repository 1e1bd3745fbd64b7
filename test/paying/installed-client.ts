import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { isExploring } from '@tollbook/testing/property'

type Package = { readonly dependencies: Readonly<Record<string, string>> }

const ROOT = join(import.meta.dirname, '../..')
const CLIENT = join(ROOT, 'build/tollbook-client')
const run = promisify(execFile)

/**
 * Builds the package of `packages/pay/client/`, packs it, installs it in an empty folder, and returns its exports. While
 * exploring, npm installs its dependencies; otherwise they are those of this folder.
 */
export async function installClient(folder: string) {
  const env = { ...process.env, PATH: `${join(ROOT, 'node_modules/.bin')}:${process.env.PATH}` }
  await run(process.execPath, [join(ROOT, 'tools/client/build.ts')])
  const pack = ['pack', '--json', '--pack-destination', folder]
  const { stdout } = await run('npm', pack, { cwd: CLIENT, env })
  const [packed] = JSON.parse(stdout.slice(stdout.indexOf('[\n'))) as [{ filename: string }]
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  if (isExploring) {
    await run('npm', ['install', '--no-audit', `./${packed.filename}`], { cwd: folder, env })
  } else {
    const modules = join(folder, 'node_modules')
    const cwd = join(modules, 'tollbook-client')
    mkdirSync(cwd, { recursive: true })
    await run('tar', ['-xzf', join(folder, packed.filename), '--strip-components=1'], { cwd })
    const { dependencies } = JSON.parse(readFileSync(join(cwd, 'package.json'), 'utf8')) as Package
    for (const name of Object.keys(dependencies)) {
      mkdirSync(dirname(join(modules, name)), { recursive: true })
      symlinkSync(join(ROOT, 'node_modules', name), join(modules, name))
    }
  }
  writeFileSync(join(folder, 'all.js'), "export * from 'tollbook-client'\n")
  return await import(pathToFileURL(join(folder, 'all.js')).href)
}
