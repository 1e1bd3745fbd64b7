import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Specifiers of modules of this repository: relative ones, and names of its packages. */
const OWN_IMPORT = /((?:from|import)\s*\(?\s*')(\.{1,2}\/[^']+|@tollbook\/[^']+)(')/g

type Copying = {
  /** The first module, which is copied to the top of `to`. */
  readonly name: string
  readonly text: string
  /** Where it would be: its imports are relative to it. */
  readonly folder: string
  /** The folder of the repository: other modules keep their paths below it. */
  readonly root: string
  readonly to: string
}

/** Copies a module with every module of this repository that it imports, directly or indirectly, with relative imports. */
export function copySources({ name, text, folder, root, to }: Copying): void {
  const copied = new Set<string>()
  const write = (target: string, source: string, content: string) => {
    const out = join(to, target)
    mkdirSync(dirname(out), { recursive: true })
    writeFileSync(
      out,
      content.replaceAll(OWN_IMPORT, (_, before: string, specifier: string, after: string) => {
        const file = specifier.startsWith('.')
          ? join(source, specifier)
          : fileURLToPath(import.meta.resolve(specifier))
        const path = relative(root, file)
        if (!copied.has(path)) {
          copied.add(path)
          write(path, dirname(file), readFileSync(file, 'utf8'))
        }
        const link = relative(dirname(target), path)
        return `${before}${link.startsWith('.') ? link : `./${link}`}${after}`
      }),
    )
  }
  write(name, folder, text)
}
