import type { Address } from '@tollbook/chain/hex'
import type { DevChain } from '@tollbook/devchain/dev-chain'
import {
  createPublicClient,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  http,
  type PrivateKeyAccount,
} from 'viem'
import runtimeCode from '../../../devchain/src/contracts/runtime-code.json' with { type: 'json' }
import { devWalletFactoryAbi } from './dev-abis.ts'

export const WALLET_FACTORY = '0x00000000000000000000000000000000000fac70'

/** A contract wallet that may not stand yet. */
export type DevWallet = {
  readonly address: Address
  /** Call data by which the factory deploys it. */
  readonly deployment: Hex
  /** Its owner's signature, wrapped so that it can be verified before the wallet is deployed. */
  wrap(signature: Hex): Hex
}

/** Puts the factory of contract wallets on a dev chain. */
export async function placeWalletFactory(chain: DevChain): Promise<void> {
  await chain.rpc.call('anvil_setCode', [WALLET_FACTORY, runtimeCode.DevWalletFactory])
}

/** An owner's wallet as the factory will deploy it. @param salt 32 bytes; each results in another wallet. */
export async function planWallet(chain: DevChain, owner: PrivateKeyAccount, salt: Hex): Promise<DevWallet> {
  const client = createPublicClient({ transport: http(chain.rpcUrl) })
  const call = { abi: devWalletFactoryAbi, args: [owner.address, salt] } as const
  const address = await client.readContract({ ...call, address: WALLET_FACTORY, functionName: 'walletOf' })
  const deployment = encodeFunctionData({ ...call, functionName: 'createWallet' })
  return {
    address: address.toLowerCase() as Address,
    deployment,
    wrap: (signature) => wrapSignature(deployment, signature),
  }
}

/** A signature as ERC-6492 wraps it: factory, its call data, the signature, and the magic at the end. */
export function wrapSignature(deployment: Hex, signature: Hex, factory: Hex = WALLET_FACTORY): Hex {
  const types = [{ type: 'address' }, { type: 'bytes' }, { type: 'bytes' }] as const
  return `${encodeAbiParameters(types, [factory, deployment, signature])}${'6492'.repeat(16)}`
}
