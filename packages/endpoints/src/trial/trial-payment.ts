import { randomBytes } from 'node:crypto'
import { CONTRACTS } from '@tollbook/chain/contracts'
import {
  hashPermit2Domain,
  hashPermitTransfer,
  hashTokenDomain,
  hashTransfer,
  toDigest,
} from '@tollbook/chain/digests'
import type { Address, Hex } from '@tollbook/chain/hex'
import { createKeySigner, type KeySigner } from '@tollbook/chain/key-signer'
import { BASE } from '@tollbook/chain/network'
import type { PaymentRequired } from '@tollbook/gate/challenge/payment-required'
import type { PaymentRequirements } from '@tollbook/gate/contract/terms'

/** Clocks of buyers and sellers differ. */
const SKEW_SECONDS = 60

/** A payment for the first option of a 402, by a new wallet. @throws Error if it has no option with a signature */
export async function signTrialPayment({ resource, accepts }: PaymentRequired): Promise<object> {
  const terms = accepts.find(({ scheme }) => scheme === 'exact' || scheme === 'upto')
  if (!terms) throw new Error('the 402 offers neither exact nor upto')
  const signer = createKeySigner(`0x${randomBytes(32).toString('hex')}`)
  const sign = terms.scheme === 'exact' ? signTransfer : signPermit
  return { x402Version: 2, resource, accepted: terms, payload: await sign(signer, terms), extensions: {} }
}

/** A transfer by authorization (EIP-3009). */
async function signTransfer(signer: KeySigner, terms: PaymentRequirements): Promise<object> {
  const now = Math.floor(Date.now() / 1000)
  const transfer = {
    from: signer.address,
    to: terms.payTo,
    value: BigInt(terms.amount),
    validAfter: now - SKEW_SECONDS,
    validBefore: now + terms.maxTimeoutSeconds,
    nonce: randomHex(),
  }
  const domain = hashTokenDomain({
    name: `${terms.extra.name}`,
    version: `${terms.extra.version}`,
    chainId: BASE.chainId,
    verifyingContract: terms.asset,
  })
  const signature = toHex(await signer.sign(toDigest(domain, hashTransfer(transfer))))
  return { signature, authorization: toTexts(transfer) }
}

/** A transfer by Permit2, up to the amount. */
async function signPermit(signer: KeySigner, terms: PaymentRequirements): Promise<object> {
  const facilitator = `${terms.extra.facilitatorAddress}` as Address
  const permit = {
    token: terms.asset,
    amount: BigInt(terms.amount),
    nonce: randomHex(),
    deadline: Math.floor(Date.now() / 1000) + terms.maxTimeoutSeconds,
    to: terms.payTo,
    facilitator,
    validAfter: 0,
  }
  const signature = toHex(
    await signer.sign(toDigest(hashPermit2Domain(BASE.chainId), hashPermitTransfer(permit))),
  )
  const { token, amount, nonce, deadline, to, validAfter } = permit
  return {
    signature,
    permit2Authorization: toTexts({
      from: signer.address,
      permitted: { token, amount },
      spender: CONTRACTS.uptoPermit2Proxy,
      nonce: BigInt(nonce),
      deadline,
      witness: { to, facilitator, validAfter },
    }),
  }
}

function randomHex(): Hex {
  return `0x${randomBytes(32).toString('hex')}`
}

function toHex({ r, s, yParity }: Awaited<ReturnType<KeySigner['sign']>>): Hex {
  return `${r}${s.slice(2)}${yParity === 0 ? '1b' : '1c'}` as Hex
}

/** Numbers travel as decimal strings. */
function toTexts(value: object): unknown {
  const toText = (_: string, item: unknown) =>
    typeof item === 'bigint' || typeof item === 'number' ? `${item}` : item
  return JSON.parse(JSON.stringify(value, toText))
}
