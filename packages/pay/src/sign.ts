import { BASE, type Network } from '@tollbook/chain/network'
import { createReadRpc } from '@tollbook/chain/rpc/read-rpc'
import { x402Client, x402HTTPClient } from '@x402/core/client'
import type { PaymentPayload } from '@x402/core/types'
import type { ClientEvmSigner } from '@x402/evm'
import { BatchSettlementEvmScheme, InMemoryClientChannelStorage } from '@x402/evm/batch-settlement/client'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { UptoEvmScheme } from '@x402/evm/upto/client'
import {
  appendPaymentIdentifierToExtensions,
  isValidPaymentId,
  PAYMENT_IDENTIFIER,
} from '@x402/extensions/payment-identifier'
import { createPublicClient, custom, type LocalAccount } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { Chosen, Offer } from './offer.ts'
import type { SignedPayment } from './requested.ts'
import { toSellersWords } from './sellers-words.ts'

/** The payer, a private key or an account that signs, and where the chain is read. */
export type Wallet = {
  readonly key: `0x${string}` | LocalAccount
  readonly rpcUrl: string
  /** The only network that it pays on; default Base. */
  readonly network?: Network
}

/** Terms that no scheme signs, or a chain that could not be read for it. Nothing was paid. */
export class Unsignable extends Error {}

/**
 * The extensions that are sent back; no scheme sees another one. `erc20ApprovalGasSponsoring`, for one, asks for a
 * transaction that approves any amount. Catalogues list an endpoint by the payments that carry `bazaar`; it signs
 * nothing.
 */
const KEPT_EXTENSIONS = [PAYMENT_IDENTIFIER, 'eip2612GasSponsoring', 'bazaar']

/** An error of the SDK may quote the seller's terms. */
const MAX_REASON = 300

/** Signs for what was chosen; `client` is that of its channel. @throws Unsignable */
export async function signFor(
  wallet: Wallet,
  { required, terms, protocol }: Chosen,
  { client, headers }: { readonly client: x402HTTPClient; readonly headers: Headers },
): Promise<SignedPayment> {
  const sign = async (): Promise<SignedPayment> => {
    if (protocol?.sign) {
      const payload = await protocol.sign(accountOf(wallet.key), terms)
      return { x402Version: 2, resource: required.resource, accepted: terms, payload }
    }
    const offered = structuredClone(keptOf(required))
    const extensions = appendPaymentIdentifierToExtensions(offered, ...identifierOf(headers))
    return client.createPaymentPayload({ ...required, accepts: [terms], extensions })
  }
  const payment = await sign().catch((error: unknown) => {
    const [reason = ''] = String(error instanceof Error ? error.message : error).split('\n', 1)
    throw new Unsignable(`no payment can be signed: ${toSellersWords(reason, MAX_REASON)}`)
  })
  return protocol ? { ...payment, sentAs: protocol.seal(payment.payload) } : payment
}

/** Signs a payment that the caller presents itself. */
export function signOffer(wallet: Wallet, { required, terms, offer }: Chosen): Promise<PaymentPayload> {
  const extensions = keptOf(required)
  return openClient(wallet, offer).createPaymentPayload({ ...required, accepts: [terms], extensions })
}

function keptOf({ extensions }: Chosen['required']): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(extensions ?? {}).filter(([name]) => KEPT_EXTENSIONS.includes(name)),
  )
}

const accountOf = (key: Wallet['key']) => (typeof key === 'string' ? privateKeyToAccount(key) : key)

/** The caller's own payment-identifier: a seller refuses a payment with another one. */
function identifierOf(headers: Headers): [] | [string] {
  const key = headers.get('idempotency-key')?.replace(/^"(.*)"$/, '$1')
  return key !== undefined && isValidPaymentId(key) ? [key] : []
}

export function openClient(
  { key, rpcUrl, network = BASE }: Wallet,
  { deposit }: Pick<Offer, 'deposit'>,
): x402HTTPClient {
  const rpc = createReadRpc({ url: rpcUrl })
  const account = accountOf(key)
  const { readContract } = createPublicClient({
    transport: custom({ request: ({ method, params }) => rpc.call(method, params ?? []) }),
  })
  // All that a scheme may use: it cannot sign a transaction.
  const signer: ClientEvmSigner = {
    address: account.address,
    signTypedData: (data) => account.signTypedData(data as Parameters<typeof account.signTypedData>[0]),
    readContract: (call) => readContract(call as Parameters<typeof readContract>[0]),
  }
  let hasDeposited = false
  const client = new x402Client()
    .register(network.id, new ExactEvmScheme(signer))
    .register(network.id, new UptoEvmScheme(signer))
    .register(
      network.id,
      new BatchSettlementEvmScheme(signer, {
        storage: new InMemoryClientChannelStorage(),
        depositStrategy: ({ minimumDepositAmount }) => {
          if (deposit === undefined || BigInt(minimumDepositAmount) > deposit)
            throw new Error('the deposit that was confirmed does not cover the next call of its channel')
          // The seller may send both deposits to the chain.
          if (hasDeposited) throw new Error('the seller requests a second deposit')
          hasDeposited = true
          return deposit
        },
      }),
    )
    // The caller's own --max was already checked; the SDK's default limit of one dollar would override a higher one.
    .setSpendControls(false)
  return new x402HTTPClient(client)
}
