import {
  hashChannelDomain,
  hashPermit2Domain,
  hashTokenDomain,
  hashTransfer,
  hashUptoPermit,
  hashVoucher,
  toDigest,
} from '../../chain/digests.ts'
import type { OfferedPayment } from '../payment.ts'

/** Returns the 32 bytes that a payer signed. */
export type PaymentDigest = (payment: OfferedPayment) => Buffer

/** Computes the EIP-712 digest of payments, with each domain separator computed once. */
export function createPaymentDigest(): PaymentDigest {
  const domains = new Map<string, Buffer>()
  const domainOf = (payment: OfferedPayment): Buffer => {
    const { network, asset, extra } = payment.terms
    const key =
      payment.scheme === 'exact'
        ? `${network} ${asset} ${extra.name} ${extra.version}`
        : `${network} ${payment.scheme}`
    const known = domains.get(key)
    if (known !== undefined) return known
    const domain = hashDomain(payment)
    domains.set(key, domain)
    return domain
  }
  return (payment) => toDigest(domainOf(payment), hashStruct(payment))
}

function hashDomain({ scheme, terms }: OfferedPayment): Buffer {
  const chainId = Number(terms.network.slice('eip155:'.length))
  if (scheme === 'upto') return hashPermit2Domain(chainId)
  if (scheme === 'batch-settlement') return hashChannelDomain(chainId)
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
  if (payment.scheme === 'exact')
    return hashTransfer({ from: payer, to: payTo, value: signedAmount, validAfter, validBefore, nonce })
  return hashUptoPermit({
    token: terms.asset,
    amount: signedAmount,
    nonce,
    deadline: validBefore,
    to: payTo,
    // The decoder has already compared the witness's facilitator with the requirements.
    facilitator: String(terms.extra.facilitatorAddress),
    validAfter,
  })
}
