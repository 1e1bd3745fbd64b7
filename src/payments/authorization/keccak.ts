import { buildKeccakModule, LAYOUT } from './keccak-module.ts'

/** Gives Keccak-256 as Ethereum uses it (not SHA3-256 of FIPS 202, whose padding differs). */
export type Keccak = (bytes: Uint8Array) => Buffer

/** The part of the WebAssembly interface that is used; the types of Node leave it to those of browsers. */
type WebAssemblyInterface = {
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (module: object) => { readonly exports: unknown }
}
type KeccakExports = {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number }
  hash(blocks: number): void
}

const PAGE_BYTES = 65_536

/**
 * Makes a hash function on WebAssembly, whose 64-bit integers suit Keccak: some 1 microsecond for 136 bytes,
 * against 15 in plain JavaScript. A payment costs four such blocks, a batch of a hundred about seven hundred.
 * Not reentrant, which synchronous code cannot be anyway.
 */
export function createKeccak(): Keccak {
  const { Module, Instance } = (globalThis as unknown as { WebAssembly: WebAssemblyInterface }).WebAssembly
  const { memory, hash } = new Instance(new Module(buildKeccakModule())).exports as KeccakExports
  let view = new Uint8Array(memory.buffer)
  return (bytes) => {
    // One block more than full ones, since there is always padding.
    const blocks = Math.floor(bytes.length / LAYOUT.blockBytes) + 1
    const end = LAYOUT.input + blocks * LAYOUT.blockBytes
    if (end > view.length) {
      memory.grow(Math.ceil((end - view.length) / PAGE_BYTES))
      view = new Uint8Array(memory.buffer)
    }
    view.fill(0, LAYOUT.state, LAYOUT.state + LAYOUT.stateBytes)
    view.set(bytes, LAYOUT.input)
    // Padding of the original Keccak: a one, zeros, a one at the last bit.
    view.fill(0, LAYOUT.input + bytes.length, end)
    view[LAYOUT.input + bytes.length] = 0x01
    view[end - 1] = (view[end - 1] ?? 0) | 0x80
    hash(blocks)
    return Buffer.from(view.slice(LAYOUT.state, LAYOUT.state + 32))
  }
}
