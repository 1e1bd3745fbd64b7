import { randomBytes } from 'node:crypto'
import { devKey } from '@tollbook/chain/dev-accounts'
import { createKeySigner, type KeySigner } from '@tollbook/chain/key-signer'
import { toTransferDigest } from '@tollbook/devchain/demo-week/transfer-digest'
import type { PaymentRequired } from '@tollbook/gate/challenge/payment-required'
import { serializeSignature } from 'viem'
import { toRequest } from './load.ts'
import { QUERY, ROUTE } from './servers/route.ts'

/** Wallets that sign natively, so that thousands of payments are ready before the clock starts. */
export type Payers = {
  readonly addresses: readonly `0x${string}`[]
  readonly keys: readonly `0x${string}`[]
  /**
   * Requests that pay what a 402 requires, each with its own payment, rotating through the payers.
   * @param toBytes builds the request from its headers; default a GET of the endpoint that every server sells
   */
  sign(paymentRequired: PaymentRequired, count: number, toBytes?: ToBytes): Promise<readonly Buffer[]>
}

type ToBytes = (headers: Readonly<Record<string, string>>) => Buffer

export function createPayers(count: number): Payers {
  const keys = Array.from({ length: count }, (_, index) => devKey(`bench payer ${index}`))
  const wallets = keys.map(createKeySigner)
  const walletOf = (index: number) => wallets[index % wallets.length] as KeySigner

  async function signOne(paymentRequired: PaymentRequired, wallet: KeySigner): Promise<string> {
    const { resource, accepts, extensions } = paymentRequired
    const [accepted] = accepts
    if (!accepted) throw new TypeError('the 402 offers no way to pay')
    const nonce = `0x${randomBytes(32).toString('hex')}` as const
    const validBefore = Math.floor(Date.now() / 1000) + accepted.maxTimeoutSeconds
    const digest = toTransferDigest({
      from: wallet.address,
      to: accepted.payTo,
      value: BigInt(accepted.amount),
      validAfter: 0n,
      validBefore: BigInt(validBefore),
      nonce,
    })
    const authorization = {
      from: wallet.address,
      to: accepted.payTo,
      value: accepted.amount,
      validAfter: '0',
      validBefore: `${validBefore}`,
      nonce,
    }
    // What the clients of the SDK send: they echo resource and extensions.
    const payment = {
      x402Version: 2,
      payload: { authorization, signature: serializeSignature(await wallet.sign(digest)) },
      resource,
      accepted,
      extensions,
    }
    return Buffer.from(JSON.stringify(payment)).toString('base64')
  }

  return {
    keys,
    addresses: wallets.map(({ address }) => address),
    sign: (paymentRequired, requests, toBytes = (headers) => toRequest(`${ROUTE}${QUERY}`, headers)) =>
      Promise.all(
        Array.from({ length: requests }, async (_, index) =>
          toBytes({ 'payment-signature': await signOne(paymentRequired, walletOf(index)) }),
        ),
      ),
  }
}

/** The payment requirements of a server's endpoint; default the one that every server sells. */
export async function readPaymentRequired(
  url: string,
  path = `${ROUTE}${QUERY}`,
  method = 'GET',
): Promise<PaymentRequired> {
  const response = await fetch(`${url}${path}`, { method })
  await response.arrayBuffer()
  const header = response.headers.get('payment-required')
  if (response.status !== 402 || header === null)
    throw new Error(`${url} answered ${response.status}, not 402`)
  return JSON.parse(Buffer.from(header, 'base64').toString('utf8'))
}
