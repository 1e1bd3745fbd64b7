import { DEV_CLIENT_ADDRESSES } from '@tollbook/chain/dev-accounts'
import type { PaymentRequired } from '@tollbook/gate/challenge/payment-required'
import { closePayment, openPayment } from '@tollbook/testing/paying/shop'
import { type Payer, type SignOptions, signPayment } from '@tollbook/testing/payments/sign-payment'
import type { Hex } from 'viem'

/** Whoever pays, and what is asked of him: an `exact` payment first. */
export type Forger = {
  readonly payer: Payer
  readonly offered: PaymentRequired
  /** The service's. */
  readonly url: string
  /** What the protocol prescribes for every signature. */
  readonly options?: SignOptions
}

/** Holds far more than the payer and never agreed to anything. */
export const RICH_WALLET = DEV_CLIENT_ADDRESSES[0]
/** The order of secp256k1. */
const ORDER = BigInt('0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141')

type Payment = ReturnType<typeof openPayment>

type Change = {
  readonly accepted?: Record<string, unknown>
  readonly authorization?: Partial<Payment['payload']['authorization']>
  readonly resource?: Record<string, unknown>
  readonly extensions?: Record<string, unknown>
  readonly sign?: (signature: Hex) => string
}

/** A valid payment with some fields replaced after signing. */
export async function changePayment({ payer, offered, options }: Forger, change: Change): Promise<string> {
  const { sign = (signature) => signature } = change
  const payment = openPayment(await signPayment(payer, offered, options))
  const { signature, authorization } = payment.payload
  return closePayment({
    ...payment,
    accepted: { ...payment.accepted, ...change.accepted },
    resource: { ...payment.resource, ...change.resource },
    extensions: { ...payment.extensions, ...change.extensions },
    payload: { signature: sign(signature), authorization: { ...authorization, ...change.authorization } },
  })
}

/** Signed over other terms. */
async function signOver(
  { payer, offered, options }: Forger,
  terms: Record<string, unknown>,
): Promise<string> {
  const other = { ...offered, accepts: [{ ...offered.accepts[0], ...terms }] } as unknown as PaymentRequired
  return signPayment(payer, other, options)
}

/**
 * Payments that are signed over other terms and claim to accept the offered ones: what is left to forge where
 * a payment repeats no terms.
 */
export async function forgeSignedTerms(forger: Forger): Promise<Readonly<Record<string, string>>> {
  const { payer, offered } = forger
  const [accepted] = offered.accepts
  const hidden = async (terms: Record<string, unknown>) =>
    closePayment({ ...openPayment(await signOver(forger, terms)), accepted })
  return {
    'a lower price signed': await hidden({ amount: '1' }),
    'a higher price signed': await hidden({ amount: `${BigInt(accepted?.amount ?? '') * 2n}` }),
    'the own wallet as payTo, hidden': await hidden({ payTo: payer.address }),
    'another token, hidden': await hidden({ asset: RICH_WALLET }),
    'the token name of the test network': await hidden({ extra: { name: 'USDC', version: '2' } }),
  }
}

/** Payments whose terms differ from those offered, by what is wrong with them. */
export async function forgeTerms(forger: Forger): Promise<Readonly<Record<string, string>>> {
  const { payer, offered, url } = forger
  const [exact] = offered.accepts
  const cheap = '1'
  const changed = (change: Change) => changePayment(forger, change)
  const signedOver = (terms: Record<string, unknown>) => signOver(forger, terms)
  return {
    ...(await forgeSignedTerms(forger)),
    'a lower price accepted': await changed({ accepted: { amount: cheap } }),
    'a lower price accepted and signed': await signedOver({ amount: cheap }),
    'the price as a number': await changed({ accepted: { amount: Number(exact?.amount) } }),
    'the price with a sign': await changed({ accepted: { amount: `+${exact?.amount}` } }),
    'the own wallet as payTo': await signedOver({ payTo: payer.address }),
    'another token': await signedOver({ asset: RICH_WALLET }),
    'a test network': await signedOver({ network: 'eip155:84532' }),
    'the network by its old name': await changed({ accepted: { network: 'base' } }),
    'a lifetime of a year': await changed({ accepted: { maxTimeoutSeconds: 31_536_000 } }),
    'upto where exact is signed': await changed({ accepted: { scheme: 'upto' } }),
    'a further term': await changed({ accepted: { discount: '100%' } }),
    'a flow that was not offered': await changed({
      accepted: { extra: { ...exact?.extra, paymentFlow: 'upfront' } },
    }),
    'no terms': closePayment({ ...openPayment(await signPayment(payer, offered)), accepted: {} }),
    'the terms of another resource': await changed({ resource: { url: `${url}/test/twin` } }),
    'the terms of another host': await changed({ resource: { url: 'https://shop.example/test/good' } }),
    'an extension rewritten': await changed({
      extensions: { 'payment-identifier': { info: { required: true } } },
    }),
  }
}

/**
 * Payments by `upto` whose terms differ from those offered, by what is wrong with them.
 * @param exact the requirements of a call at a fixed price, whose payment is offered instead.
 */
export async function forgeUptoTerms(
  { payer, offered }: Forger,
  exact: PaymentRequired,
): Promise<Readonly<Record<string, string>>> {
  const upto = offered.accepts.find(({ scheme }) => scheme === 'upto')
  const over = async (further: Record<string, unknown>, accepted?: unknown) => {
    const other = { ...offered, accepts: [{ ...upto, ...further }] } as unknown as PaymentRequired
    return closePayment({
      ...openPayment(await signPayment(payer, other)),
      ...(accepted ? { accepted } : {}),
    })
  }
  const named = (facilitatorAddress: string) => ({ extra: { ...upto?.extra, facilitatorAddress } })
  return {
    'a lower maximum': await over({ amount: '1' }),
    'a lower maximum, hidden': await over({ amount: '1' }, upto),
    'the own wallet as payTo, hidden': await over({ payTo: payer.address }, upto),
    'another facilitator': await over(named(payer.address)),
    'another facilitator, hidden': await over(named(payer.address), upto),
    'another token, hidden': await over({ asset: RICH_WALLET }, upto),
    'an exact payment': await signPayment(payer, exact),
    'an exact payment under upto terms': closePayment({
      ...openPayment(await signPayment(payer, exact)),
      accepted: upto,
    }),
  }
}

/** Payments whose signature is not the payer's signature over their content. */
export async function forgeSignatures(
  forger: Forger,
  other: Payer,
): Promise<Readonly<Record<string, string>>> {
  const { payer, offered, options } = forger
  const changed = (change: Change) => changePayment(forger, change)
  const sign = (change: (signature: Hex) => string) => changed({ sign: change })
  const otherSigned = openPayment(await signPayment(other, offered, options)).payload.signature
  return {
    'the twin with a high s': await sign(toHighTwin),
    'the signature of another wallet': await sign(() => otherSigned),
    'v as 0 and 1': await sign((text) => `${text.slice(0, 130)}${text.endsWith('1b') ? '00' : '01'}`),
    'v of the other point': await sign((text) => `${text.slice(0, 130)}${text.endsWith('1b') ? '1c' : '1b'}`),
    'sixty-four bytes': await sign((text) => text.slice(0, 130)),
    'one byte more': await sign((text) => `${text}00`),
    'one byte': await sign(() => '0x00'),
    zeros: await sign(() => `0x${'00'.repeat(64)}1b`),
    'all ones': await sign(() => `0x${'ff'.repeat(64)}1c`),
    'the payment of a richer wallet': await changed({ authorization: { from: RICH_WALLET } }),
    'a nonce changed': await changed({ authorization: { nonce: `0x${'11'.repeat(32)}` } }),
    'an end changed': await changed({
      authorization: { validBefore: `${Math.floor(Date.now() / 1000) + 55}` },
    }),
    'a wallet that would be deployed by a factory of its own': await sign(
      (text) => `0x${factoryCall(payer.address, text)}${'6492'.repeat(16)}`,
    ),
  }
}

/** The other valid signature that the same key could have made. */
function toHighTwin(signature: Hex): string {
  const s = BigInt(`0x${signature.slice(66, 130)}`)
  const high = (ORDER - s).toString(16).padStart(64, '0')
  return `${signature.slice(0, 66)}${high}${signature.endsWith('1b') ? '1c' : '1b'}`
}

/** abi.encode(factory, calldata, signature) as ERC-6492 wraps it. */
function factoryCall(factory: string, signature: string): string {
  const word = (value: number) => value.toString(16).padStart(64, '0')
  const padded = signature.slice(2).padEnd(192, '0')
  return [factory.slice(2).padStart(64, '0'), word(96), word(128), word(0), word(65), padded].join('')
}

/** Validity periods with which a payment must be refused, in epoch seconds. */
export function lifetimesOutside({
  accepts: [terms],
}: PaymentRequired): Readonly<
  Record<string, { readonly validBefore: number; readonly validAfter?: number }>
> {
  const now = Math.floor(Date.now() / 1000)
  const most = terms?.maxTimeoutSeconds ?? 0
  return {
    'it has ended': { validBefore: now - 10 },
    'it is about to end': { validBefore: now + 2 },
    'it has not begun': { validAfter: now + 3600, validBefore: now + most },
    'it ends before it begins': { validAfter: now + 50, validBefore: now + 40 },
    'it lives for a year': { validBefore: now + 31_536_000 },
    'it lives two minutes longer than offered': { validBefore: now + most + 120 },
    'it lives for ever': { validBefore: Number.MAX_SAFE_INTEGER },
  }
}
