import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

/** Every TypeScript file of the project, by its path from the root. */
export const files = globSync('{{src,test,testing,bench,quality,measurements,tools}/**,client}/*.ts', {
  exclude: ['**/node_modules'],
})
/** Those of src/ without tests. */
export const sources = files.filter((file) => file.startsWith('src/') && !file.endsWith('.test.ts'))

/** The folder of src/ that a file is in; a file of src/ itself counts as one. */
export function packageOf(file: string): string {
  return file.split('/')[1] ?? ''
}

/** The part of that folder: a folder or a file. */
export function partOf(file: string): string {
  return file.split('/')[2] ?? ''
}

/** The paths of the files that a file imports by a relative path. */
export function importsOf(file: string): string[] {
  const text = readFileSync(file, 'utf8')
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g)].map((match) =>
    normalize(join(dirname(file), match[1] ?? '')),
  )
}
