import { BASE } from '@tollbook/chain/network'
import { base } from '@tollbook/testing/chain/base-chain'
import { decodePaymentRequiredHeader, encodePaymentSignatureHeader } from '@x402/core/http'
import { type FacilitatorClient, x402ResourceServer } from '@x402/core/server'
import { toClientEvmSigner } from '@x402/evm'
import { BatchSettlementEvmScheme as Client } from '@x402/evm/batch-settlement/client'
import { BatchSettlementEvmScheme as Server } from '@x402/evm/batch-settlement/server'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { paymentMiddleware } from '@x402/hono'
import { Hono } from 'hono'
import { createPublicClient, type Hex, http, zeroHash } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'

export const CHANNEL_PRICE = 1300n
/** The minimum that the stock server accepts. */
export const CHANNEL_DEPOSIT = 10n * CHANNEL_PRICE
const URL = 'http://channels.example/'

/** A stock server that sells from payment channels through a facilitator; its clients need no network. */
export function openChannelShop(facilitator: FacilitatorClient, payTo: Hex) {
  const receiverAuthorizerSigner = privateKeyToAccount(generatePrivateKey())
  const scheme = new Server(payTo, { receiverAuthorizerSigner })
  const extra = { name: BASE.usdcName, version: BASE.usdcVersion }
  const accepts = {
    scheme: 'batch-settlement',
    network: BASE.id,
    payTo,
    maxTimeoutSeconds: 60,
    price: { asset: BASE.usdc, amount: `${CHANNEL_PRICE}`, extra },
  } as const
  const app = new Hono()
  const resources = new x402ResourceServer(facilitator).register(BASE.id, scheme)
  app.use(paymentMiddleware({ 'GET /': { accepts } }, resources))
  app.get('/', (context) => context.json({ sold: true }))
  const serve = (async (input, init) => app.fetch(new Request(input, init))) as typeof fetch
  return {
    serve,
    manager: scheme.createChannelManager(facilitator, BASE.id, BASE.usdc),
    /** A stock client with a channel of its own for each salt. */
    openClient(key: Hex, rpcUrl: string, salt: Hex = zeroHash) {
      const reader = createPublicClient({ chain: base, transport: http(rpcUrl) })
      const client = new Client(toClientEvmSigner(privateKeyToAccount(key), reader), { salt })
      const paying = new x402Client().register(BASE.id, client)
      const pay = wrapFetchWithPayment(serve, paying) as typeof fetch
      return {
        buy: () => pay(URL),
        refund: () => client.refund(URL, { fetch: serve }),
        /** Sends copies of one payment at once. */
        async buyCopies(count: number) {
          const unpaid = await serve(URL)
          const required = decodePaymentRequiredHeader(unpaid.headers.get('payment-required') ?? '')
          const header = encodePaymentSignatureHeader(await paying.createPaymentPayload(required))
          const ask = () => serve(URL, { headers: { 'payment-signature': header } })
          return Promise.all(Array.from({ length: count }, ask))
        },
      }
    },
  }
}
