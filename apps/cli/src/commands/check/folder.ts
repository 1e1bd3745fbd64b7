import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { Finding } from '@tollbook/runtime/check/finding'
import type { Config } from '@tollbook/runtime/config'

/** Of /proc and /sys, where nobody can create a folder (statfs(2)). */
const KERNEL: ReadonlySet<number> = new Set([0x9fa0, 0x62656572])

/** A start creates the data folder: it, or the nearest folder above it that exists, must be writable. */
export function checkFolder({ TOLLBOOK_DATA_DIR: folder }: Config): readonly Finding[] {
  let path = resolve(folder)
  while (!existsSync(path)) path = dirname(path)
  if (statSync(path).isDirectory() && isWritable(path) && !KERNEL.has(statfsSync(path).type)) return []
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
