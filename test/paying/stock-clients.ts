import { wrap as wrapFaremeter } from '@faremeter/fetch'
import { createPaymentHandler } from '@faremeter/payment-evm/exact'
import { BASE } from '@tollbook/chain/network'
import type { Customer, Shop } from '@tollbook/testing/paying/shop'
import { toClientEvmSigner } from '@x402/evm'
import { BatchSettlementEvmScheme, InMemoryClientChannelStorage } from '@x402/evm/batch-settlement/client'
import { wrapFetchWithPayment as payFromChannel, x402Client } from '@x402/fetch'
import { create as createAxios } from 'axios'
import { Mppx } from 'mppx/client'
import { evm } from 'mppx/evm/client'
import { createWalletClient, http } from 'viem'
import { base } from 'viem/chains'
import { withPaymentInterceptor } from 'x402-axios'
import { wrapFetchWithPayment } from 'x402-fetch'

/** A published client, as it is installed: `fetch` that pays. */
export type StockClient = (customer: Customer, shop: Shop) => typeof fetch

/** No endpoint costs more: a dollar. */
const MAX_PRICE = 1_000_000n

const walletOf = (account: Customer, shop: Shop) =>
  createWalletClient({ account, chain: base, transport: http(shop.seller.chain.rpcUrl) })

/** Hides the challenge of x402 from a client that understands it too. */
export const withoutX402: typeof fetch = async (input, init) => {
  const response = await fetch(input, init)
  const headers = new Headers(response.headers)
  headers.delete('payment-required')
  return new Response(response.body, { status: response.status, headers })
}

export const STOCK_CLIENTS: Readonly<Record<string, StockClient>> = {
  '@x402/fetch': (customer, shop) => shop.stockClient(customer).over(fetch),
  '@faremeter/fetch': (customer) => {
    const handler = createPaymentHandler({
      chain: { id: BASE.chainId, name: 'Base' },
      address: customer.address,
      account: { signTypedData: (typed) => customer.signTypedData(typed as never) },
    })
    return wrapFaremeter(fetch, { handlers: [handler] })
  },
  'x402-fetch': (customer, shop) => wrapFetchWithPayment(fetch, walletOf(customer, shop), MAX_PRICE),
  'x402-axios': (customer, shop) => {
    const client = withPaymentInterceptor(createAxios(), walletOf(customer, shop))
    return async (url, { method = 'GET', body, headers } = {}) => {
      const sent = { url: `${url}`, method, data: body, headers: headers as Record<string, string> }
      const response = await client.request(sent)
      return new Response(null, { status: response.status, headers: response.headers })
    }
  },
  'mppx by MPP': (account) => {
    const methods = [evm.charge({ account, currencies: [evm.assets.base.USDC] })]
    return Mppx.create({ methods, fetch: withoutX402, polyfill: false }).fetch as typeof fetch
  },
}

/** The SDK's client, which deposits once and then pays by vouchers. */
export const fromChannel: StockClient = (customer, shop) => {
  const signer = toClientEvmSigner(customer as never, shop.chain)
  const scheme = new BatchSettlementEvmScheme(signer, { storage: new InMemoryClientChannelStorage() })
  return payFromChannel(fetch, new x402Client().register(BASE.id, scheme)) as typeof fetch
}
