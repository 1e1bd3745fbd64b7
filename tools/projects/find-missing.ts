import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'

const manifestSchema = z.object({ dependencies: z.record(z.string(), z.string()) })
const installedSchema = z.object({ version: z.string() })

/** Folders with a `package.json` and a lock of their own, which the root's `npm ci` leaves out. */
export const PROJECTS = ['bench', 'quality'] as const

/**
 * The packages of a project that are not installed in its folder, or in another version, as `name@version`.
 * A package of the same name in the root's `node_modules` does not count: it may have another version.
 */
export function findMissing(project: string): readonly string[] {
  const { dependencies } = manifestSchema.parse(readJson(join(project, 'package.json')))
  return Object.entries(dependencies)
    .filter(([name, version]) => readVersion(join(project, 'node_modules', name, 'package.json')) !== version)
    .map(([name, version]) => `${name}@${version}`)
}

function readVersion(file: string): string | null {
  return existsSync(file) ? installedSchema.parse(readJson(file)).version : null
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, 'utf8'))
}
