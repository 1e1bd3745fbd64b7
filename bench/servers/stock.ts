import { serve } from '@hono/node-server'
import { devPayTo } from '@tollbook/chain/dev-accounts'
import { BASE } from '@tollbook/chain/network'
import { applyNow } from '@tollbook/endpoints/effect/effects'
import { contrast } from '@tollbook/utility/endpoints/api/a11y/contrast/endpoint'
import { type FacilitatorClient, x402HTTPResourceServer, x402ResourceServer } from '@x402/core/server'
import { ExactEvmScheme } from '@x402/evm/exact/server'
import { paymentMiddlewareFromHTTPServer } from '@x402/hono'
import { type Context, Hono } from 'hono'
import { type Served, serveMeasured } from './measured.ts'
import { describeRoute, PRICE_MICRO_USDC, ROUTE } from './route.ts'
import { createInProcessClient, createInstantClient } from './stock-facilitators.ts'

export type StockOptions =
  /** Answers at once, with or without a signature check. */
  | { readonly facilitator: 'instant'; readonly checksSignature: boolean }
  | { readonly facilitator: 'in-process'; readonly rpcUrl: string }

await serveMeasured(serveStock)

/** A server as the guide of `@x402/hono` builds it, with the same endpoint and handler as ours. */
async function serveStock(options: StockOptions): Promise<Served> {
  const facilitator =
    options.facilitator === 'instant'
      ? createInstantClient(options.checksSignature)
      : createInProcessClient(options.rpcUrl)
  const app = new Hono()
  app.use(paymentMiddlewareFromHTTPServer(createResourceServer(facilitator)))
  app.get(ROUTE, answer)
  return new Promise((resolve) => {
    const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => {
      const close = () => new Promise<void>((done) => server.close(() => done()))
      resolve({ url: `http://127.0.0.1:${port}`, close })
    })
  })
}

function createResourceServer(facilitator: FacilitatorClient): x402HTTPResourceServer {
  const { resource, extensions } = describeRoute('http://127.0.0.1')
  const resourceServer = new x402ResourceServer(facilitator).register(BASE.id, new ExactEvmScheme())
  return new x402HTTPResourceServer(resourceServer, {
    [ROUTE]: {
      accepts: {
        scheme: 'exact',
        network: BASE.id,
        payTo: devPayTo.utility,
        price: {
          amount: PRICE_MICRO_USDC.toString(),
          asset: BASE.usdc,
          extra: { name: BASE.usdcName, version: BASE.usdcVersion },
        },
        maxTimeoutSeconds: 60,
      },
      description: resource.description,
      mimeType: resource.mimeType,
      serviceName: resource.serviceName,
      extensions: { ...extensions },
    },
  })
}

async function answer(context: Context): Promise<Response> {
  const answer = await contrast.handle({
    input: context.req.query(),
    files: new Map(),
    payer: BASE.usdc,
    ports: {},
    signal: context.req.raw.signal,
    now: new Date(),
    accept: '',
    ifMatch: '',
    callId: '',
    effects: applyNow,
    clientAddress: 'unknown',
    whenWritten: async () => true,
  })
  if (answer.kind !== 'json') throw new TypeError('contrast answers in JSON')
  return context.json(answer.body)
}
