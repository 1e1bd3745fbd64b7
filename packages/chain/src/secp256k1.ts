import { createRequire } from 'node:module'
import type Secp256k1 from 'secp256k1'
import type { Address } from './hex.ts'
import { keccak } from './keccak.ts'

/** libsecp256k1 in its prebuilt binding (Linux x64, macOS arm64, Windows x64), or null on other platforms. */
export function loadSecp256k1(): typeof Secp256k1 | null {
  try {
    // The package's own entry point would silently fall back to another implementation.
    return createRequire(import.meta.url)('secp256k1/bindings.js') as typeof Secp256k1
  } catch {
    return null
  }
}

/** The address of an uncompressed public key: 65 bytes, the first of which is 4. */
export function addressOfKey(publicKey: Uint8Array): Address {
  return `0x${keccak(publicKey.subarray(1)).toString('hex', 12)}`
}
