import { keccak256 } from 'viem'

/** Keccak-256 as Ethereum uses it (not SHA3-256 of FIPS 202, whose padding differs). */
export function keccak(bytes: Uint8Array): Buffer {
  const hash = keccak256(bytes, 'bytes')
  return Buffer.from(hash.buffer, hash.byteOffset, hash.byteLength)
}
