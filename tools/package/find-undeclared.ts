import { globSync, readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { join } from 'node:path'
import type { Manifest } from './published.ts'

/** Specifiers of packages: what a module or a declaration imports, and the packages that it finds by name. */
const IMPORT = /(?:\bfrom |\bimport |\bimport\(|\bimport\.meta\.resolve\()['"]([^'".\s][^'"\s]*)['"]/g
const COMMENT = /\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm

/** It shows the code of clients. */
const SHOWS_CODE = 'dist/documents/docs-page.js'

/** What the modules of a laid out package import without naming it in the manifest, as `dist/file: package`. */
export function findUndeclared(folder: string, manifest: Manifest): readonly string[] {
  const { name, dependencies, optionalDependencies, peerDependencies } = manifest
  const declared = new Set([
    name,
    ...Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies }),
  ])
  return globSync('dist/**/*.{js,d.ts}', { cwd: folder, exclude: [SHOWS_CODE] }).flatMap((file) => {
    const text = readFileSync(join(folder, file), 'utf8').replaceAll(COMMENT, '')
    const packages = new Set([...text.matchAll(IMPORT)].map(([, specifier = '']) => packageOf(specifier)))
    return [...packages].filter((each) => each && !declared.has(each)).map((each) => `${file}: ${each}`)
  })
}

/** The package that a specifier names; none for a module of Node. */
function packageOf(specifier: string): string | undefined {
  if (specifier.startsWith('node:') || builtinModules.includes(specifier)) return undefined
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
}
