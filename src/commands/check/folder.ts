import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { Config } from '../../config.ts'
import type { Finding } from './finding.ts'

/** A start creates the data folder: it, or the nearest folder above it that exists, must be writable. */
export function checkFolder({ TOLLBOOK_DATA_DIR: folder }: Config): readonly Finding[] {
  let path = resolve(folder)
  while (!existsSync(path)) path = dirname(path)
  if (statSync(path).isDirectory() && isWritable(path)) return []
  const text = `TOLLBOOK_DATA_DIR: ${path} is not a folder that this user can write to`
  return [{ verdict: 'failed', name: 'folder', text }]
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK)
    return true
  } catch {
    return false
  }
}
