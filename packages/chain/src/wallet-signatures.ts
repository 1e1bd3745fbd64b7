import { Unreachable } from '@tollbook/flow/failure'
import { type Address, type Hex, toQuantity } from './hex.ts'
import { createMessageRecovery, hashMessage } from './message-signer.ts'
import { type RecoverSigner, recoverPurely } from './recover-purely.ts'
import type { Rpc } from './rpc/rpc.ts'
import { isExecutionFailure, RpcRefusal } from './rpc/rpc-failure.ts'
import { SIGNATURE_VALIDATOR } from './signature-validator.ts'
import { encodeBytes, encodeWords } from './words.ts'

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
/** Whole bytes. */
const BYTES = /^0x(?:[0-9a-f]{2})*$/i
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
 * @param recoverSigner default: in JavaScript, without modules of Node.
 */
export function createWalletSignatures(
  rpc?: Pick<Rpc, 'call'>,
  recoverSigner: RecoverSigner = recoverPurely,
): WalletSignatures {
  const recoverMessageSigner = createMessageRecovery(recoverSigner)
  return {
    async isSignedBy({ address, message, signature }, signal) {
      if (!BYTES.test(signature)) return false
      if ((await recoverMessageSigner(message, signature)) === address) return hasLowS(signature)
      if (!rpc) return false
      const hash = hashMessage(message)
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
  rpc: Pick<Rpc, 'call'>,
  { address, hash, signature }: SignedHash,
  signal: AbortSignal,
): Promise<boolean> {
  // The signature is the third argument and dynamic: its content begins after three words.
  const parts = encodeWords([address, hash, 3 * 32]) + encodeBytes(signature)
  const data = `${SIGNATURE_VALIDATOR}${parts}`
  try {
    const answer = await rpc.call('eth_call', [{ data, gas: toQuantity(MAX_GAS) }, 'latest'], signal)
    return answer === '0x01'
  } catch (error) {
    // The validator reverts for something that is not a signature, or the wallet used up the gas.
    if (error instanceof RpcRefusal && isExecutionFailure(error)) return false
    throw error
  }
}

function hasLowS(signature: Hex): boolean {
  return BigInt(`0x${signature.slice(66, 130)}`) <= MAX_S
}
