import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { serve } from '@hono/node-server'
import { BASE } from '@tollbook/chain/network'
import { HTTPFacilitatorClient, type RoutesConfig, x402ResourceServer } from '@x402/core/server'
import { ExactEvmScheme } from '@x402/evm/exact/server'
import { UptoEvmScheme } from '@x402/evm/upto/server'
import { paymentMiddleware, setSettlementOverrides } from '@x402/hono'
import { Hono } from 'hono'

export const STOCK_SELLER = '0x5E00000000000000000000000000000000005e5e'

const price = { asset: BASE.usdc, extra: { name: BASE.usdcName, version: BASE.usdcVersion } }
const shared = { network: BASE.id, payTo: STOCK_SELLER, maxTimeoutSeconds: 60 }
const permit2 = { ...price.extra, assetTransferMethod: 'permit2' }
/** `/free` is metered, and charges nothing. */
const ROUTES = {
  'GET /exact': { accepts: { ...shared, scheme: 'exact', price: { ...price, amount: '1300' } } },
  'GET /permit2': {
    accepts: { ...shared, scheme: 'exact', price: { ...price, amount: '1400', extra: permit2 } },
  },
  'GET /upto': { accepts: { ...shared, scheme: 'upto', price: { ...price, amount: '5000' } } },
  'GET /free': { accepts: { ...shared, scheme: 'upto', price: { ...price, amount: '5000' } } },
} satisfies RoutesConfig

/** Micro-USDC that a call of a metered route costs. */
const CHARGES = { '/upto': '2100', '/free': '0' } as const

/** Starts a stock server that sells through a facilitator. @returns its URL */
export type StartSeller = (t: TestContext, facilitatorUrl: string) => Promise<string>

const startHono: StartSeller = async (t, facilitatorUrl) => {
  const app = new Hono()
  const resources = new x402ResourceServer(new HTTPFacilitatorClient({ url: facilitatorUrl }))
    .register(BASE.id, new ExactEvmScheme())
    .register(BASE.id, new UptoEvmScheme())
  app.use(paymentMiddleware(ROUTES, resources))
  for (const path of ['/exact', '/permit2', '/upto', '/free'] as const)
    app.get(path, (context) => {
      if (path in CHARGES) setSettlementOverrides(context, { amount: CHARGES[path as keyof typeof CHARGES] })
      return context.json({ sold: true })
    })
  const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0, overrideGlobalObjects: false })
  t.after(() => server.close())
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const startExpress: StartSeller = async (t, facilitatorUrl) => {
  const program = join(import.meta.dirname, 'express-server.mjs')
  const given = [facilitatorUrl, JSON.stringify(ROUTES), JSON.stringify(CHARGES)]
  const server = fork(program, given, { execArgv: [] })
  t.after(() => server.kill())
  const [port] = await once(server, 'message')
  return `http://127.0.0.1:${port}`
}

export const STOCK_SELLERS: readonly (readonly [name: string, start: StartSeller])[] = [
  ['@x402/hono', startHono],
  ['@x402/express', startExpress],
]
