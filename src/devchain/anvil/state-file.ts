import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { makeFolder } from '../../flow/make-folder.ts'
import type { RpcClient } from './json-rpc.ts'

/** Writes all blocks and accounts as gzipped JSON. Atomic: after a crash the file is the old one or the new one. */
export async function saveState(rpc: RpcClient, stateFile: string): Promise<void> {
  const dump = await rpc.call<string>('anvil_dumpState')
  makeFolder(dirname(stateFile))
  const partial = `${stateFile}.partial`
  writeFileSync(partial, Buffer.from(dump.slice(2), 'hex'), { flush: true })
  renameSync(partial, stateFile)
}

/** Unpacks a saved state into a file for anvil's `--load-state`; delete it once anvil is ready. */
export function unpackState(stateFile: string): { readonly file: string; remove(): void } {
  const file = `${stateFile}.unpacked.json`
  writeFileSync(file, gunzipSync(readFileSync(stateFile)))
  return { file, remove: () => rmSync(file, { force: true }) }
}
