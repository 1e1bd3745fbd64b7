import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const FOLDER = dirname(fileURLToPath(import.meta.url))
export const RUNTIME_CODE_FILE = join(FOLDER, 'runtime-code.json')

/** How the contracts are compiled. */
export const COMPILER_SETTINGS = {
  optimizer: { enabled: true, runs: 200 },
  evmVersion: 'cancun',
  // Without metadata the code depends on nothing but the sources and these settings.
  metadata: { appendCBOR: false, bytecodeHash: 'none' },
} as const

/** The texts of the contracts by file name, in its order. */
export function readSources(): Readonly<Record<string, string>> {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.sol'))
  return Object.fromEntries(files.sort().map((file) => [file, readFileSync(join(FOLDER, file), 'utf8')]))
}

/** SHA-256 of all that decides the compiled code: it stands beside that code, and tells when it is out of date. */
export function hashSources(): string {
  const { version } = createRequire(import.meta.url)('solc/package.json') as { version: string }
  const all = { version, settings: COMPILER_SETTINGS, sources: readSources() }
  return createHash('sha256').update(JSON.stringify(all)).digest('hex')
}
