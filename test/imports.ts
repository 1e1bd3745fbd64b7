import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

/** Every TypeScript file of the project, by its path from the root. */
export const files = globSync('{{packages,apps,test,bench,quality,measurements,tools}/**,src}/*.ts', {
  exclude: ['**/node_modules', 'build'],
})

/** Those of the packages and apps, without tests and the test kit. */
export const sources = files.filter(
  (file) =>
    /^(packages|apps)\//.test(file) && !file.endsWith('.test.ts') && !file.startsWith('packages/testing/'),
)

/** The package or app that a file is in, by the name of its folder. */
export function packageOf(file: string): string {
  return file.split('/')[1] ?? ''
}

/** The part of its sources: a folder or a file. */
export function partOf(file: string): string {
  return file.split('/')[3] ?? ''
}

/** The folder of a package or app from the root. */
export function folderOf(name: string): string {
  return existsSync(`apps/${name}`) ? `apps/${name}` : `packages/${name}`
}

/** The paths of the files of this repository that a file imports, by a relative path or by a package's name. */
export function importsOf(file: string): string[] {
  const text = readFileSync(file, 'utf8')
  const relative = [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g)].map(([, path = '']) =>
    normalize(join(dirname(file), path)),
  )
  const named = [...text.matchAll(/(?:from|import)\s*\(?\s*'@tollbook\/([^/']+)\/([^']+)'/g)].map(
    ([, name = '', path]) => `${folderOf(name)}/src/${path}.ts`,
  )
  return [...relative, ...named]
}
