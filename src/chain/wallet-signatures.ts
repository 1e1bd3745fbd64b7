import { hashMessage, recoverAddress } from 'viem/utils'
import { Unreachable } from '../flow/failure.ts'
import { type Address, type Hex, toQuantity } from './hex.ts'
import type { Rpc } from './rpc/rpc.ts'
import { isExecutionFailure, RpcRefusal } from './rpc/rpc-failure.ts'

/** Decides whether a wallet signed a text, for every kind of wallet. */
export interface WalletSignatures {
  /** @throws Unreachable when only the chain can decide and it is unreachable; the signal's reason. */
  isSignedBy(signed: SignedText, signal?: AbortSignal): Promise<boolean>
}

export type SignedText = {
  readonly address: Address
  readonly message: string
  readonly signature: Hex
}

/**
 * Half of the order of secp256k1. Above it is the malleable twin of every signature, which anyone can compute
 * (EIP-2).
 */
const MAX_S = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n
/** 65 bytes as hex with `0x`. */
const KEY_SIGNATURE_LENGTH = 132
/**
 * Maximum gas of a check. Chosen: a passkey's curve in Solidity takes under a million, a wallet's deployment
 * a few. It limits what a hostile wallet can burn and, as memory costs gas, the size of its answer.
 */
const MAX_GAS = 10_000_000n
const CHAIN_TIMEOUT_MS = 10_000
/**
 * Checks a key's signature (EIP-191) locally, and queries the chain for every other: wallets with code by
 * ERC-1271, wallets that are not deployed yet by ERC-6492. One eth_call deploys viem's validator for the
 * duration of the call; it answers one byte whatever the wallet returns.
 * @param rpc absent: only keys can prove themselves.
 */
export function createWalletSignatures(rpc?: Rpc): WalletSignatures {
  return {
    async isSignedBy({ address, message, signature }, signal) {
      const hash = hashMessage(message)
      const signer = await recover(hash, signature)
      if (signer === address) return hasLowS(signature)
      if (!rpc) return false
      const deadline = AbortSignal.timeout(CHAIN_TIMEOUT_MS)
      try {
        const either = signal ? AbortSignal.any([signal, deadline]) : deadline
        return await queryChain(rpc, { address, hash, signature }, either)
      } catch (error) {
        signal?.throwIfAborted()
        throw new Unreachable('the chain did not answer', { cause: error })
      }
    },
  }
}

type SignedHash = { readonly address: Address; readonly hash: Hex; readonly signature: Hex }

async function queryChain(
  rpc: Rpc,
  { address, hash, signature }: SignedHash,
  signal: AbortSignal,
): Promise<boolean> {
  // All of viem takes a tenth of a second to load, and few processes ever check such a signature.
  const { encodeDeployData, erc6492SignatureValidatorAbi, erc6492SignatureValidatorByteCode } = await import(
    'viem'
  )
  const data = encodeDeployData({
    abi: erc6492SignatureValidatorAbi,
    args: [address, hash, signature],
    bytecode: erc6492SignatureValidatorByteCode,
  })
  try {
    const answer = await rpc.call('eth_call', [{ data, gas: toQuantity(MAX_GAS) }, 'latest'], signal)
    return answer === '0x01'
  } catch (error) {
    // The validator reverts for something that is not a signature, or the wallet used up the gas.
    if (error instanceof RpcRefusal && isExecutionFailure(error)) return false
    throw error
  }
}

/** The address whose key made a signature; null when no key did. */
async function recover(hash: Hex, signature: Hex): Promise<Address | null> {
  if (signature.length !== KEY_SIGNATURE_LENGTH) return null
  try {
    return (await recoverAddress({ hash, signature })).toLowerCase() as Address
  } catch {
    return null
  }
}

function hasLowS(signature: Hex): boolean {
  return BigInt(`0x${signature.slice(66, 130)}`) <= MAX_S
}
