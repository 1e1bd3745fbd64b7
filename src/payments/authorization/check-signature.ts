import { loadSignerRecovery, type SignerRecovery } from '../../chain/recover.ts'
import type { OfferedPayment } from '../payment.ts'
import { createPaymentDigest } from './digest.ts'

/**
 * - `valid`: signed by the payer's own key. The chain may still reject a payer that also has code (EIP-7702).
 * - `invalid`: no facilitator can settle it.
 * - `needs-chain`: only the payer's contract can decide.
 */
export type SignatureVerdict = 'valid' | 'invalid' | 'needs-chain'

export type SignatureChecker = {
  readonly kind: SignerRecovery['kind']
  /**
   * Checks a payment's signature without I/O.
   * @param payerHasCode whether the payer has code, if already read from the chain: without code,
   * `needs-chain` is only returned for wallets that their first payment deploys (ERC-6492).
   */
  checkSignature(payment: OfferedPayment, payerHasCode?: boolean): Promise<SignatureVerdict>
}

/** Half the order of secp256k1. Every signature has a twin with s above it, which tokens reject (EIP-2). */
const HALF_ORDER = Buffer.from('7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0', 'hex')
/** The suffix that ERC-6492 appends to the signature of a wallet that is not deployed yet. */
const ERC_6492_SUFFIX = '6492'.repeat(16)

/** Whether the signature contains the deployment of its wallet (ERC-6492). */
export function isErc6492(payment: OfferedPayment): boolean {
  return payment.signature.endsWith(ERC_6492_SUFFIX)
}

export function createSignatureChecker(recovery: SignerRecovery = loadSignerRecovery()): SignatureChecker {
  const digestOf = createPaymentDigest()
  return {
    kind: recovery.kind,
    async checkSignature(payment, payerHasCode) {
      const signature = Buffer.from(payment.signature.slice(2), 'hex')
      if (signature.length === 65) {
        const signer = await recovery.recoverSigner(digestOf(payment), signature)
        if (signer === payment.payer)
          return signature.compare(HALF_ORDER, 0, 32, 32, 64) > 0 ? 'invalid' : 'valid'
      }
      // A channel names the key of its vouchers.
      if (payment.channel) return 'invalid'
      return payerHasCode === false && !isErc6492(payment) ? 'invalid' : 'needs-chain'
    },
  }
}
