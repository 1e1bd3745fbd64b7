import {
  chmodSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { toLauncher, toPublishedManifest } from './publish-manifest.ts'
import { PACKED, type Published, ROOT } from './published.ts'

/** Of `src`: what only tests, the compiler of the contracts and readers of the sources need. */
const NOT_SHIPPED = /(?:^|\/)(?:testdata|golden)\/|(?<!\.d)\.ts$|\.sol$|(?:^|\/)tsconfig\.json$/
/** The messages of the command line name these documents. */
const OF_THE_COMMAND_LINE = ['CHANGELOG.md', 'docs/*.md', 'docs/*.json']

/**
 * Writes the folder of a package as its tarball has it, `build/packages/calc` for `packages/calc`.
 * @param compiled the folder in which the compiler wrote the modules of all packages.
 */
export function layOut({ folder, manifest }: Published, compiled: string): string {
  const source = join(ROOT, folder)
  const to = join(PACKED, folder.replace(/^\w+\//, ''))
  const dist = join(to, 'dist')
  mkdirSync(to, { recursive: true })
  renameSync(join(compiled, folder, 'src'), dist)
  for (const name of globSync('**/*.js', { cwd: dist })) rewriteModuleUrls(join(dist, name))
  for (const name of globSync('**/*.*', { cwd: join(source, 'src') }))
    if (!NOT_SHIPPED.test(name)) copy(join(source, 'src', name), join(dist, name))
  copy(join(ROOT, 'LICENSE'), join(to, 'LICENSE'))
  if (existsSync(join(source, 'README.md'))) copy(join(source, 'README.md'), join(to, 'README.md'))
  if (manifest.name === '@tollbook/cli')
    for (const name of globSync(OF_THE_COMMAND_LINE, { cwd: ROOT })) copy(join(ROOT, name), join(to, name))
  for (const [name, main] of Object.entries(manifest.bin ?? {}))
    writeLauncher(join(to, toLauncher(name)), main)
  const published = toPublishedManifest(manifest)
  writeFileSync(join(to, 'package.json'), `${JSON.stringify(published, null, 2)}\n`)
  return to
}

/** The compiler rewrites the extensions of imports, but not those of modules that are started by their URL. */
function rewriteModuleUrls(file: string): void {
  const before = readFileSync(file, 'utf8')
  const after = before.replaceAll(/(new URL\('[^']+)\.ts(', import\.meta\.url\))/g, '$1.js$2')
  if (/\.ts['"`],\s*import\.meta/.test(after)) throw new Error(`${file} has a URL of another form`)
  if (after !== before) writeFileSync(file, after)
}

/** @param main the module that the command runs, such as `src/main.ts`. */
function writeLauncher(file: string, main: string): void {
  const template = readFileSync(join(import.meta.dirname, 'launch.js'), 'utf8')
  const module = main.replace(/^(?:\.\/)?src\/(.+)\.ts$/, '../dist/$1.js')
  const text = template.replace('../dist/main.js', module)
  if (!text.includes(module) || module === main) throw new Error(`${main} is no module of src`)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  chmodSync(file, 0o755)
}

function copy(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true })
  cpSync(from, to)
}
