const FIRST_EXAMPLE = /```ts\n(.*?)```(?:\n+```text\n(.*?)```)?/s
const PRINTS = /^.*console\.log\(.*\)/gm
/** A line of an example that prints, and what it prints. */
const PRINTED = /^.*console\.log\(.*\) \/\/ (.+)$/gm

export type ReadmeExample = {
  readonly code: string
  /** What the README says that it prints, if it says so of all that is printed. */
  readonly printed?: string
}

/** The first example in TypeScript of the README of a package. */
export function readExample(readme: string): ReadmeExample | undefined {
  const [, code, block] = FIRST_EXAMPLE.exec(readme) ?? []
  if (code === undefined) return undefined
  if (block !== undefined) return { code, printed: block }
  const inComments = [...code.matchAll(PRINTED)].map(([, line]) => `${line}\n`)
  const isWhole = inComments.length > 0 && inComments.length === code.match(PRINTS)?.length
  return { code, ...(isWhole && { printed: inComments.join('') }) }
}

/** The packages that a README installs. */
export function readInstalled(readme: string): readonly string[] {
  const [, names = ''] = /^npm install (.+)$/m.exec(readme) ?? []
  return names.split(' ')
}
