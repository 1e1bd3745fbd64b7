import type { OfferedPayment } from '../payment.ts'
import { createPaymentDigest } from './digest.ts'
import { loadSignerRecovery, type SignerRecovery } from './recover.ts'

/**
 * - `valid`: the payer's own key signed. A payer that also has code (EIP-7702) may still be refused on the chain.
 * - `invalid`: no facilitator can settle it.
 * - `needs-chain`: only the payer's contract can say.
 */
export type SignatureVerdict = 'valid' | 'invalid' | 'needs-chain'

export type SignatureChecker = {
  readonly kind: SignerRecovery['kind']
  /**
   * Checks a payment's signature without I/O.
   * @param payerHasCode what the chain says of the payer, once known: without code, `needs-chain` is left to
   *   wallets that are deployed by their first payment (ERC-6492).
   */
  checkSignature(payment: OfferedPayment, payerHasCode?: boolean): Promise<SignatureVerdict>
}

/** Half the order of secp256k1: tokens refuse s above it (EIP-2), since each signature has such a twin. */
const HALF_ORDER = Buffer.from('7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0', 'hex')
/** What ERC-6492 appends to the signature of a wallet that is not deployed yet. */
const ERC_6492_SUFFIX = '6492'.repeat(16)

/** Whether the signature carries the deployment of its wallet (ERC-6492). */
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
      return payerHasCode === false && !isErc6492(payment) ? 'invalid' : 'needs-chain'
    },
  }
}
