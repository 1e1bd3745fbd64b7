import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

// Writes the npm package to build/package (decision 0058): the sources as JavaScript with declarations, in
// dist/ instead of src/, next to the files that they read.

const ROOT = join(import.meta.dirname, '../..')
const PACKAGE = join(ROOT, 'build/package')
const DIST = join(PACKAGE, 'dist')
/** Of src/: what only tests, the contracts' compiler and readers of the sources need. */
const NOT_SHIPPED = /(?:^|\/)(?:testdata|golden)\/|\.(?:ts|sol|md)$|(?:^|\/)tsconfig\.json$/
/** The engines import nothing but each other; other modules may change in any release. */
const EXPORTS = {
  './engines/*': { types: './dist/engines/*.d.ts', default: './dist/engines/*.js' },
  './package.json': './package.json',
}
/** Files beside the sources: what commands print or refer to. */
const BESIDE = ['LICENSE', 'README.md', 'CHANGELOG.md', 'docs/*.md', 'docs/*.json']

type Manifest = Record<string, unknown> & { readonly dependencies: object; readonly optionalDependencies: object }
type Lock = Record<string, unknown> & { readonly packages: Record<string, Record<string, unknown>> }

rmSync(PACKAGE, { recursive: true, force: true })
compile()
rewriteModuleUrls()
const data = globSync('**/*', { cwd: join(ROOT, 'src'), withFileTypes: false }).filter(
  (name) => /\.\w+$/.test(name) && !NOT_SHIPPED.test(name),
)
for (const name of data) copy(join('src', name), join('dist', name))
for (const name of globSync(BESIDE, { cwd: ROOT })) copy(name, name)
copy('tools/package/tollbook.js', 'bin/tollbook.js')
chmodSync(join(PACKAGE, 'bin/tollbook.js'), 0o755)
writeManifests()

function compile(): void {
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc')
  const { status } = spawnSync(process.execPath, [compiler, '-p', import.meta.dirname], { stdio: 'inherit' })
  if (status !== 0) throw new Error('the sources do not compile')
}

/** The compiler rewrites the extensions of imports, but not those of modules that are started by URL. */
function rewriteModuleUrls(): void {
  for (const name of globSync('**/*.js', { cwd: DIST })) {
    const file = join(DIST, name)
    const before = readFileSync(file, 'utf8')
    const after = before.replaceAll(/(new URL\('[^']+)\.ts(', import\.meta\.url\))/g, '$1.js$2')
    if (/\.ts['"`],\s*import\.meta/.test(after)) throw new Error(`${name} has a URL of another form`)
    if (after !== before) writeFileSync(file, after)
  }
}

/** The manifest for users, and the lock without what only developers need. */
function writeManifests(): void {
  const { scripts, devDependencies, overrides, private: _, ...shipped } = readJson<Manifest>('package.json')
  writeJson('package.json', { ...shipped, bin: { tollbook: 'bin/tollbook.js' }, exports: EXPORTS })
  const { packages, ...lock } = readJson<Lock>('package-lock.json')
  const { devDependencies: _dev, ...root } = packages[''] ?? {}
  const installed = Object.entries(packages).filter(([path, { dev }]) => path !== '' && !dev)
  writeJson('npm-shrinkwrap.json', {
    ...lock,
    packages: { '': { ...root, bin: { tollbook: 'bin/tollbook.js' } }, ...Object.fromEntries(installed) },
  })
}

function readJson<T>(name: string): T {
  return JSON.parse(readFileSync(join(ROOT, name), 'utf8')) as T
}

function writeJson(name: string, value: unknown): void {
  writeFileSync(join(PACKAGE, name), `${JSON.stringify(value, null, 2)}\n`)
}

function copy(from: string, to: string): void {
  mkdirSync(dirname(join(PACKAGE, to)), { recursive: true })
  cpSync(join(ROOT, from), join(PACKAGE, to))
}
