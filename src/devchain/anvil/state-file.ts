import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { RpcClient } from './json-rpc.ts'

/** Whether a chain is stored here. */
export function hasSavedState(stateFile: string): boolean {
  return existsSync(stateFile)
}

/**
 * Writes all blocks and accounts as gzipped JSON. Atomic: after a crash the file is the old one or the new
 * one.
 */
export async function saveState(rpc: RpcClient, stateFile: string): Promise<void> {
  const dump = await rpc.call<string>('anvil_dumpState')
  mkdirSync(dirname(stateFile), { recursive: true })
  const partial = `${stateFile}.partial`
  const descriptor = openSync(partial, 'w')
  try {
    writeSync(descriptor, Buffer.from(dump.slice(2), 'hex'))
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  renameSync(partial, stateFile)
}

/** Unpacks a saved state into a file for anvil's `--load-state`; delete it once anvil is ready. */
export function unpackState(stateFile: string): { readonly file: string; remove(): void } {
  const file = `${stateFile}.unpacked.json`
  writeFileSync(file, gunzipSync(readFileSync(stateFile)))
  return { file, remove: () => rmSync(file, { force: true }) }
}
