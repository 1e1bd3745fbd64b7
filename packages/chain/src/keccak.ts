import { createKeccak } from 'hash-wasm'

const hasher = await createKeccak(256)

/**
 * Keccak-256 as Ethereum uses it (not SHA3-256 of FIPS 202, whose padding differs). In WebAssembly, whose 64-bit
 * integers suit it: about 1 microsecond for 136 bytes, compared with 13 in plain JavaScript. A payment takes
 * four such blocks, a batch of a hundred about seven hundred.
 */
export function keccak(bytes: Uint8Array): Buffer {
  const { buffer } = hasher.init().update(bytes).digest('binary')
  return Buffer.from(buffer)
}

/** The same as hex digits without `0x`, also where there is no `Buffer`. */
export function keccakHex(bytes: Uint8Array): string {
  return hasher.init().update(bytes).digest()
}
