import { mkdirSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/**
 * Creates a folder and those above it, one at a time: the recursive `mkdir` of Node never ends where the file system
 * reports a missing parent for a folder that it refuses, such as `/proc`.
 * @param mode of new folders; default that of the process
 * @throws Error that names the folder and the reason.
 */
export function makeFolder(folder: string, mode?: number): void {
  const path = resolve(folder)
  const found = statSync(path, { throwIfNoEntry: false })
  if (found?.isDirectory()) return
  if (found) throw new Error(`the folder ${path} cannot be created: a file has this name`)
  const parent = dirname(path)
  if (parent !== path) makeFolder(parent, mode)
  try {
    mkdirSync(path, mode)
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code
    // Another process created it just now.
    if (code === 'EEXIST' && statSync(path).isDirectory()) return
    throw new Error(`the folder ${path} cannot be created (${code})`, { cause })
  }
}
