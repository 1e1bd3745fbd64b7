import {
  hashChannelDomain,
  hashPermit2Domain,
  hashPermitTransfer,
  hashTokenDomain,
  hashTransfer,
  hashVoucher,
  toDigest,
} from '@tollbook/chain/digests'
import { loadSignerRecovery, type SignerRecovery } from '@tollbook/chain/recover'
import { isByPermit2, type OfferedPayment } from '../payment.ts'

/** Returns the 32 bytes that a payer signed. */
type PaymentDigest = (payment: OfferedPayment) => Buffer

/**
 * - `valid`: signed by the payer's own key. The chain may still reject a payer that also has code (EIP-7702).
 * - `invalid`: no facilitator can settle it.
 * - `needs-chain`: only the payer's contract can decide.
 */
export type SignatureVerdict = 'valid' | 'invalid' | 'needs-chain'

export type SignatureChecker = {
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

/** Computes the EIP-712 digest of payments, with each domain separator computed once. */
export function createPaymentDigest(): PaymentDigest {
  const domains = new Map<string, Buffer>()
  const domainOf = (payment: OfferedPayment): Buffer => {
    const { network, asset, extra } = payment.terms
    const key = payment.channel
      ? `${network} channel`
      : isByPermit2(payment)
        ? `${network} permit2`
        : `${network} ${asset} ${extra.name} ${extra.version}`
    const known = domains.get(key)
    if (known !== undefined) return known
    const domain = hashDomain(payment)
    domains.set(key, domain)
    return domain
  }
  return (payment) => toDigest(domainOf(payment), hashStruct(payment))
}

function hashDomain(payment: OfferedPayment): Buffer {
  const { terms } = payment
  const chainId = Number(terms.network.slice('eip155:'.length))
  if (payment.channel) return hashChannelDomain(chainId)
  if (isByPermit2(payment)) return hashPermit2Domain(chainId)
  const { name, version } = terms.extra
  return hashTokenDomain({
    name: String(name),
    version: String(version),
    chainId,
    verifyingContract: terms.asset,
  })
}

function hashStruct(payment: OfferedPayment): Buffer {
  const { terms, payer, payTo, signedAmount, validAfter, validBefore, nonce, channel } = payment
  if (channel) return hashVoucher(channel.id, BigInt(channel.max))
  if (!isByPermit2(payment))
    return hashTransfer({ from: payer, to: payTo, value: signedAmount, validAfter, validBefore, nonce })
  return hashPermitTransfer({
    token: terms.asset,
    amount: signedAmount,
    nonce,
    deadline: validBefore,
    to: payTo,
    // The decoder has already compared the witness's facilitator with the requirements.
    facilitator: payment.scheme === 'exact' ? null : String(terms.extra.facilitatorAddress),
    validAfter,
  })
}
