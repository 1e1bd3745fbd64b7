import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { makeFolder } from '@tollbook/flow/make-folder'
import type { RpcClient } from './json-rpc.ts'

/** Writes all blocks and accounts as gzipped JSON. Atomic: after a crash the file is the old one or the new one. */
export async function saveState(rpc: RpcClient, stateFile: string): Promise<void> {
  const dump = await rpc.call<string>('anvil_dumpState')
  makeFolder(dirname(stateFile))
  const partial = `${stateFile}.partial`
  writeFileSync(partial, Buffer.from(dump.slice(2), 'hex'), { flush: true })
  renameSync(partial, stateFile)
}

/** What the hash of a genesis block depends on, besides constants. */
export type GenesisFields = {
  /** Block time, epoch seconds. */
  readonly seconds: number
  readonly gasLimit: number
}

/** A saved state in a file for anvil's `--load-state`; remove it once anvil is ready. */
export type UnpackedState = { readonly file: string; readonly genesis: GenesisFields; remove(): void }

/**
 * Unpacks a saved state with one genesis block, the parent of block 1. Tollbook 1.0.0 started anvil with another
 * genesis each time, and anvil saves all of them and loads any.
 * @throws Error if the file is not a saved state.
 */
export function unpackState(stateFile: string): UnpackedState {
  const file = `${stateFile}.unpacked.json`
  const state = gunzipSync(readFileSync(stateFile))
  const [first] = findBlocks(state, '0x1')
  // The gas limit is random in each chain, and the same in all of its blocks.
  const all = findBlocks(state, '0x0')
  const genesis = all.find(({ header }) => header.gasLimit === first?.header.gasLimit)
  if (!genesis) throw new Error(`${stateFile} has no genesis block; delete it to start a new chain`)
  writeFileSync(file, replaceBlocks(state, all, genesis))
  return {
    file,
    genesis: { seconds: Number(genesis.header.timestamp), gasLimit: Number(genesis.header.gasLimit) },
    remove: () => rmSync(file, { force: true }),
  }
}

type StoredBlock = {
  /** Offsets of its object in the state. */
  readonly from: number
  readonly to: number
  readonly header: { readonly timestamp: string; readonly gasLimit: string }
}

/** The start of a block in a state; no other object begins like it. */
const BLOCK = '{"header":'

/** Blocks of a number, found by their text: a whole state may be longer than a string can be. */
function findBlocks(state: Buffer, number: string): readonly StoredBlock[] {
  const needle = `"number":"${number}"`
  const found: StoredBlock[] = []
  for (let at = state.indexOf(needle); at >= 0; at = state.indexOf(needle, at + 1)) {
    const from = state.lastIndexOf(BLOCK, at)
    // A header has no objects inside.
    const headerEnd = state.indexOf('}', from) + 1
    if (from < 0 || headerEnd < at) continue
    const header = JSON.parse(state.toString('utf8', from + BLOCK.length, headerEnd))
    found.push({ from, to: endOfObject(state, from), header })
  }
  return found
}

/** The offset after an object whose texts contain no braces. */
function endOfObject(state: Buffer, from: number): number {
  let depth = 0
  for (let at = from; at < state.length; at += 1) {
    if (state[at] === OPEN) depth += 1
    else if (state[at] === CLOSE) depth -= 1
    if (depth === 0) return at + 1
  }
  throw new Error('a stored chain ends within a block')
}

const [OPEN, CLOSE] = Buffer.from('{}')

/** The state with another block in place of these; anvil takes equal blocks for one. */
function replaceBlocks(state: Buffer, blocks: readonly StoredBlock[], by: StoredBlock): Buffer {
  const parts: Buffer[] = []
  let begin = 0
  for (const { from, to } of blocks) {
    parts.push(state.subarray(begin, from), state.subarray(by.from, by.to))
    begin = to
  }
  return Buffer.concat([...parts, state.subarray(begin)])
}
