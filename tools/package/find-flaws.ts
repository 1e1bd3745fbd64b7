import { readFileSync } from 'node:fs'
import { checkPackage, createPackageFromTarballData, type Package } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import type { Manifest } from './published.ts'

/** The profile `esm-only` of arethetypeswrong: these ways to import do not find modules of ECMAScript anyway. */
const NOT_SUPPORTED: ReadonlySet<string> = new Set(['node10', 'node16-cjs'])

/**
 * What publint, at its strictest, and arethetypeswrong report about a tarball. Of a pattern in `exports` every module
 * is checked; arethetypeswrong alone skips patterns.
 */
export async function findFlaws(tarball: string): Promise<readonly string[]> {
  const bytes = new Uint8Array(readFileSync(tarball))
  const linted = await publint({ pack: { tarball: bytes.buffer }, level: 'suggestion', strict: true })
  const messages = linted.messages.map(
    (message) => formatMessage(message, linted.pkg, { color: false }) ?? message.code,
  )
  const pack = createPackageFromTarballData(bytes)
  const analysis = await checkPackage(pack, { entrypoints: [...listEntryPoints(pack)] })
  if (analysis.types === false) return [...messages, 'there are no declarations']
  const problems = analysis.problems
    .map((problem) => ({ resolutionKind: '', entrypoint: '', ...problem }))
    .filter(({ resolutionKind }) => !NOT_SUPPORTED.has(resolutionKind))
    .map((problem) => `${problem.kind} ${problem.entrypoint} ${problem.resolutionKind}`.trimEnd())
  return [...messages, ...problems]
}

/** The names of `exports`; for `./*` every module below `dist`, but not those that a longer pattern hides. */
function listEntryPoints(pack: Package): readonly string[] {
  const root = `/node_modules/${pack.packageName}/`
  const files = pack.listFiles().map((file) => file.slice(root.length))
  const { exports } = JSON.parse(pack.readFile(`${root}package.json`)) as Manifest
  const hidden = Object.keys(exports).filter((name) => exports[name] === null)
  return Object.entries(exports)
    .filter(([, target]) => target !== null)
    .flatMap(([name, target]) => {
      if (!name.includes('*')) return [name]
      const [before = '', after = ''] = readPattern(target).split('*')
      return files
        .filter((file) => file.startsWith(before) && file.endsWith(after))
        .map((file) => name.replace('*', file.slice(before.length, file.length - after.length)))
    })
    .filter((name) => !hidden.some((pattern) => name.startsWith(pattern.replace(/\*$/, ''))))
}

/** The modules of a pattern, such as `dist/*.js`. */
function readPattern(target: unknown): string {
  if (typeof target !== 'object' || target === null || !('default' in target))
    throw new Error('a pattern of exports has no default')
  return String(target.default).replace(/^\.\//, '')
}
