import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'

const FOLDER = resolve(import.meta.dirname, '../../packages/devchain/src/contracts')
export const RUNTIME_CODE_FILE = join(FOLDER, 'runtime-code.json')

/** Compiler settings. */
export const COMPILER_SETTINGS = {
  optimizer: { enabled: true, runs: 200 },
  evmVersion: 'cancun',
  // Without metadata the code depends only on the sources and these settings.
  metadata: { appendCBOR: false, bytecodeHash: 'none' },
} as const

/** The sources by file name, sorted. */
export function readSources(): Readonly<Record<string, string>> {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.sol'))
  return Object.fromEntries(files.sort().map((file) => [file, readFileSync(join(FOLDER, file), 'utf8')]))
}

/**
 * SHA-256 of everything that determines the compiled code. It is stored with the code and shows when it is
 * outdated.
 */
export function hashSources(): string {
  const { version } = createRequire(import.meta.url)('solc/package.json') as { version: string }
  const all = { version, settings: COMPILER_SETTINGS, sources: readSources() }
  return createHash('sha256').update(JSON.stringify(all)).digest('hex')
}
