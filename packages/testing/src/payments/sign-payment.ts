import { randomBytes } from 'node:crypto'
import { CONTRACTS } from '@tollbook/chain/contracts'
import { BASE } from '@tollbook/chain/network'
import type { PaymentRequired } from '@tollbook/gate/challenge/payment-required'
import type { PaymentRequirements } from '@tollbook/gate/contract/terms'
import { getAddress, type Hex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'

export type Payer = ReturnType<typeof privateKeyToAccount>

export type SignOptions = {
  readonly scheme?: 'exact' | 'upto'
  /** Epoch seconds; default now. */
  readonly now?: number
  readonly validBefore?: number
  readonly validAfter?: number
  readonly nonce?: Hex
  readonly identifier?: string
  /** Changes the payload after signing. */
  readonly tamper?: (payload: Record<string, unknown>) => unknown
}

export function newPayer(): Payer {
  return privateKeyToAccount(generatePrivateKey())
}

/** Signs for a 402, with fields that a test may choose, and returns the value of `PAYMENT-SIGNATURE`. */
export async function signPayment(
  payer: Payer,
  challenge: PaymentRequired,
  options: SignOptions = {},
): Promise<string> {
  const scheme = options.scheme ?? challenge.accepts[0]?.scheme
  const accepted = challenge.accepts.find((terms) => terms.scheme === scheme)
  if (!accepted) throw new Error(`${scheme} is not offered`)
  const sign = scheme === 'upto' ? signUpto : signExact
  const { identifier, tamper = (payload) => payload } = options
  const payload = {
    x402Version: 2,
    resource: challenge.resource,
    accepted,
    payload: await sign(payer, accepted, options),
    extensions: identifier ? withIdentifier(challenge, identifier) : {},
  }
  return Buffer.from(JSON.stringify(tamper(payload))).toString('base64')
}

/** Clients echo an offered extension and add to it. */
export function withIdentifier(challenge: PaymentRequired, id: string): Record<string, unknown> {
  const offered = challenge.extensions['payment-identifier'] as Record<string, unknown>
  return { 'payment-identifier': { ...offered, info: { required: false, id } } }
}

function lifetimeOf(terms: PaymentRequirements, options: SignOptions) {
  const now = options.now ?? Math.floor(Date.now() / 1000)
  return {
    validAfter: options.validAfter ?? now - 60,
    validBefore: options.validBefore ?? now + terms.maxTimeoutSeconds,
  }
}

async function signExact(payer: Payer, terms: PaymentRequirements, options: SignOptions) {
  const nonce = options.nonce ?? (`0x${randomBytes(32).toString('hex')}` as const)
  const { validAfter, validBefore } = lifetimeOf(terms, options)
  const message = {
    from: payer.address,
    to: getAddress(terms.payTo),
    value: BigInt(terms.amount),
    validAfter: BigInt(validAfter),
    validBefore: BigInt(validBefore),
    nonce,
  }
  const signature = await payer.signTypedData({
    domain: {
      name: String(terms.extra.name),
      version: String(terms.extra.version),
      chainId: BASE.chainId,
      verifyingContract: getAddress(terms.asset),
    },
    types: {
      TransferWithAuthorization: [
        { name: 'from', type: 'address' },
        { name: 'to', type: 'address' },
        { name: 'value', type: 'uint256' },
        { name: 'validAfter', type: 'uint256' },
        { name: 'validBefore', type: 'uint256' },
        { name: 'nonce', type: 'bytes32' },
      ],
    },
    primaryType: 'TransferWithAuthorization',
    message,
  })
  return { signature, authorization: toText(message) }
}

async function signUpto(payer: Payer, terms: PaymentRequirements, options: SignOptions) {
  const nonce = BigInt(options.nonce ?? `0x${randomBytes(32).toString('hex')}`)
  const { validBefore } = lifetimeOf(terms, options)
  const permitted = { token: getAddress(terms.asset), amount: BigInt(terms.amount) }
  const witness = {
    to: getAddress(terms.payTo),
    facilitator: getAddress(String(terms.extra.facilitatorAddress)),
    validAfter: BigInt(options.validAfter ?? 0),
  }
  const spender = getAddress(CONTRACTS.uptoPermit2Proxy)
  const message = { permitted, spender, nonce, deadline: BigInt(validBefore), witness }
  const signature = await payer.signTypedData({
    domain: { name: 'Permit2', chainId: BASE.chainId, verifyingContract: getAddress(CONTRACTS.permit2) },
    types: {
      PermitWitnessTransferFrom: [
        { name: 'permitted', type: 'TokenPermissions' },
        { name: 'spender', type: 'address' },
        { name: 'nonce', type: 'uint256' },
        { name: 'deadline', type: 'uint256' },
        { name: 'witness', type: 'Witness' },
      ],
      TokenPermissions: [
        { name: 'token', type: 'address' },
        { name: 'amount', type: 'uint256' },
      ],
      Witness: [
        { name: 'to', type: 'address' },
        { name: 'facilitator', type: 'address' },
        { name: 'validAfter', type: 'uint256' },
      ],
    },
    primaryType: 'PermitWitnessTransferFrom',
    message,
  })
  return { signature, permit2Authorization: toText({ from: payer.address, ...message }) }
}

/** Integers travel as decimal strings. */
function toText<Value>(value: Value): unknown {
  return JSON.parse(JSON.stringify(value, (_, item) => (typeof item === 'bigint' ? `${item}` : item)))
}
