import {
  encodeDeployData,
  erc6492SignatureValidatorAbi,
  erc6492SignatureValidatorByteCode,
  hashMessage,
  recoverAddress,
} from 'viem'
import { Unreachable } from '../../fetching/failure.ts'
import type { Address, Hex } from '../chain/payment.ts'
import type { Rpc } from '../chain/rpc/rpc.ts'
import { RpcRefusal } from '../chain/rpc/rpc-failure.ts'

/** Says whether a wallet signed a text, whatever kind of wallet it is. */
export interface WalletSignatures {
  /** @throws Unreachable when only the chain can tell and it cannot be asked; the signal's reason. */
  isSignedBy(signed: SignedText, signal: AbortSignal): Promise<boolean>
}

export type SignedText = {
  readonly address: Address
  readonly message: string
  readonly signature: Hex
}

/** Half of the order of secp256k1. Above it lies the twin of every signature, which anyone can make (EIP-2). */
const HIGHEST_S = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n
/** 65 bytes as hex with `0x`. */
const KEY_SIGNATURE_LENGTH = 132
/**
 * Most gas of a check. Chosen: a passkey's curve in Solidity takes under a million, a wallet's deployment a few.
 * It bounds what a hostile wallet can burn, and, as memory costs gas, how much it can answer.
 */
const MAX_GAS = 10_000_000n
const CHAIN_TIMEOUT_MS = 10_000
/** What nodes answer when code ran and failed, in contrast to a node that is busy or behind. */
const EXECUTION_FAILED =
  /revert|out of gas|EVM error|invalid opcode|invalid jump|stack (?:under|over)flow|invalid code/i
/** "execution reverted" of geth and its kin. */
const REVERTED = 3

/**
 * Checks a key's signature (EIP-191) by itself, and asks the chain for every other: wallets with code by
 * ERC-1271, wallets that are not deployed yet by ERC-6492. One eth_call deploys viem's validator for its
 * duration, which answers one byte whatever the wallet gives back.
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
        return await askChain(rpc, { address, hash, signature }, AbortSignal.any([signal, deadline]))
      } catch (error) {
        signal.throwIfAborted()
        throw new Unreachable('the chain did not answer', { cause: error })
      }
    },
  }
}

type SignedHash = { readonly address: Address; readonly hash: Hex; readonly signature: Hex }

async function askChain(
  rpc: Rpc,
  { address, hash, signature }: SignedHash,
  signal: AbortSignal,
): Promise<boolean> {
  const data = encodeDeployData({
    abi: erc6492SignatureValidatorAbi,
    args: [address, hash, signature],
    bytecode: erc6492SignatureValidatorByteCode,
  })
  try {
    const answer = await rpc.call('eth_call', [{ data, gas: `0x${MAX_GAS.toString(16)}` }, 'latest'], signal)
    return answer === '0x01'
  } catch (error) {
    // The validator reverts for what is no signature at all, or the wallet burned the gas.
    const hasRun = error instanceof RpcRefusal
    if (hasRun && (error.code === REVERTED || EXECUTION_FAILED.test(error.message))) return false
    throw error
  }
}

/** The address whose key made a signature; null when it is none of a key. */
async function recover(hash: Hex, signature: Hex): Promise<Address | null> {
  if (signature.length !== KEY_SIGNATURE_LENGTH) return null
  try {
    return (await recoverAddress({ hash, signature })).toLowerCase() as Address
  } catch {
    return null
  }
}

function hasLowS(signature: Hex): boolean {
  return BigInt(`0x${signature.slice(66, 130)}`) <= HIGHEST_S
}
