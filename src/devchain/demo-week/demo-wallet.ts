import secp256k1 from 'secp256k1'
import { type Address, bytesToHex, type Hex, hexToBytes, keccak256, stringToHex } from 'viem'
import { publicKeyToAddress } from 'viem/accounts'
import { devFacilitatorKey, devKey } from '../accounts.ts'

/** A wallet of the demo week. Its key is public, like all keys of the dev chain. */
export type DemoWallet = {
  readonly address: Address
  /** Signs a digest of 32 bytes; returns r, s and v (27 or 28) as 65 bytes. */
  sign(digest: Hex): Hex
}

/** The wallet that represents a real one of the model day. */
export function createDemoWallet(realAddress: string): DemoWallet {
  return toWallet(devKey(`demo wallet ${realAddress}`))
}

/** The wallets that submit the payments of the demo week; the first also settles for the paid services. */
export function createDemoFacilitators(): readonly DemoWallet[] {
  return [devFacilitatorKey, devKey('facilitator 2'), devKey('facilitator 3')].map(toWallet)
}

// viem signs in JavaScript, ten times slower; a week needs about 5,000 signatures.
function toWallet(privateKey: Hex): DemoWallet {
  const key = hexToBytes(privateKey)
  const address = publicKeyToAddress(bytesToHex(secp256k1.publicKeyCreate(key, false)))
  return {
    address,
    sign(digest) {
      const { signature, recid } = secp256k1.ecdsaSign(hexToBytes(digest), key)
      return `${bytesToHex(signature)}${recid === 0 ? '1b' : '1c'}`
    },
  }
}

/** A nonce of 32 bytes, the same for the same seed. */
export function toDemoNonce(seed: number, index: number): Hex {
  return keccak256(stringToHex(`tollbook demo week ${seed}, authorization ${index}`))
}
