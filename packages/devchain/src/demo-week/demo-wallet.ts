import { devFacilitatorKey, devKey } from '@tollbook/chain/dev-accounts'
import { createKeySigner, type KeySigner } from '@tollbook/chain/key-signer'
import { type Hex, keccak256, stringToHex } from 'viem'

/** A wallet of the demo week. Its key is public, like all keys of the dev chain. */
export type DemoWallet = KeySigner

/** The wallet that represents a real one of the model day. */
export function createDemoWallet(realAddress: string): DemoWallet {
  return createKeySigner(devKey(`demo wallet ${realAddress}`))
}

/** The wallets that submit the payments of the demo week; the first also settles for the paid services. */
export function createDemoFacilitators(): readonly DemoWallet[] {
  return [devFacilitatorKey, devKey('facilitator 2'), devKey('facilitator 3')].map(createKeySigner)
}

/** A nonce of 32 bytes, the same for the same seed. */
export function toDemoNonce(seed: number, index: number): Hex {
  return keccak256(stringToHex(`tollbook demo week ${seed}, authorization ${index}`))
}
