import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

// Writes the npm package to build/package (decision 0061): the sources as JavaScript in dist/ instead of src/,
// next to the files that they read.

const ROOT = join(import.meta.dirname, '../..')
const PACKAGE = join(ROOT, 'build/package')
const DIST = join(PACKAGE, 'dist')
/** Of src/: what only tests, the compiler of the contracts and readers of the sources need. */
const NOT_SHIPPED = /(?:^|\/)(?:testdata|golden)\/|\.(?:ts|sol|md)$|(?:^|\/)tsconfig\.json$/
const BIN = { tollbook: 'bin/tollbook.js' }
/** The engines import nothing but each other; all other modules may change in any release. */
const EXPORTS = {
  './engines/*': { types: './dist/engines/*.d.ts', default: './dist/engines/*.js' },
  './package.json': './package.json',
}
/** Next to dist/: messages name the documents. */
const BESIDE = ['LICENSE', 'README.md', 'CHANGELOG.md', 'docs/*.md', 'docs/*.json']

/** Fields of package.json that apply to a checkout only. */
const OF_CHECKOUTS = ['private', 'scripts', 'devDependencies', 'overrides']
/** Their CUDA and Vulkan files, 850 MB, are kept out by `overrides`, which npm ignores in a dependency. */
const ADDED_BY_HAND = new Set(['node-llama-cpp', '@fugood/whisper.node'])

type Manifest = Record<string, unknown> & { readonly optionalDependencies: Readonly<Record<string, string>> }

rmSync(PACKAGE, { recursive: true, force: true })
compile()
for (const name of globSync('**/*.js', { cwd: DIST })) rewriteModuleUrls(join(DIST, name))
for (const name of globSync('**/*.d.ts', { cwd: DIST, exclude: ['engines/**'] })) rmSync(join(DIST, name))
const sources = globSync('**/*.*', { cwd: join(ROOT, 'src') })
for (const name of sources) if (!NOT_SHIPPED.test(name)) copy(join('src', name), join('dist', name))
for (const name of globSync(BESIDE, { cwd: ROOT })) copy(name, name)
copy('tools/package/tollbook.js', BIN.tollbook)
chmodSync(join(PACKAGE, BIN.tollbook), 0o755)
writeManifest()

function compile(): void {
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc')
  const { status } = spawnSync(process.execPath, [compiler, '-p', import.meta.dirname], { stdio: 'inherit' })
  if (status !== 0) throw new Error('the sources do not compile')
}

/** The compiler rewrites the extensions of imports, but not those of modules that are started by their URL. */
function rewriteModuleUrls(file: string): void {
  const before = readFileSync(file, 'utf8')
  const after = before.replaceAll(/(new URL\('[^']+)\.ts(', import\.meta\.url\))/g, '$1.js$2')
  if (/\.ts['"`],\s*import\.meta/.test(after)) throw new Error(`${file} has a URL of another form`)
  if (after !== before) writeFileSync(file, after)
}

function writeManifest(): void {
  const { optionalDependencies, ...manifest } = readJson<Manifest>('package.json')
  for (const name of OF_CHECKOUTS) delete manifest[name]
  const optional = Object.entries(optionalDependencies).filter(([name]) => !ADDED_BY_HAND.has(name))
  writeJson('package.json', {
    ...manifest,
    bin: BIN,
    exports: EXPORTS,
    optionalDependencies: Object.fromEntries(optional),
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
