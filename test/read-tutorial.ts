import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export type Tutorial = {
  /** The files that the page shows, by name. */
  readonly files: ReadonlyMap<string, string>
  /** The packages of each `npm install`. */
  readonly installs: readonly (readonly string[])[]
  /** The command that serves, after `npx tollbook`. */
  readonly serve: readonly string[]
  /** What the buyer prints. */
  readonly printed: string
}

const FILE = /^`([\w.-]+)`:\n```[jt]s\n(.*?)```/gms

/** What `docs/add-an-endpoint.md` has a newcomer write and run. */
export function readTutorial(): Tutorial {
  const page = readFileSync(join(import.meta.dirname, '../docs/add-an-endpoint.md'), 'utf8')
  return {
    files: new Map([...page.matchAll(FILE)].map(([, name = '', code = '']) => [name, code])),
    installs: [...page.matchAll(/^npm install (.+)$/gm)].map(([, names = '']) => names.split(' ')),
    serve: /^npx tollbook (serve .+)$/m.exec(page)?.[1]?.split(' ') ?? [],
    printed: /^`node buy\.mjs` prints `([^`]+)`/m.exec(page)?.[1] ?? '',
  }
}
