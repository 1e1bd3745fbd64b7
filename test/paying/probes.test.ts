import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createSafeFetch } from '../../src/fetching/safe-fetch.ts'
import { createDnsResolver } from '../../src/utility/dns/dns-resolver.ts'
import { ping } from '../../src/utility/endpoints/api/ping/endpoint.ts'
import { uptimeReport } from '../../src/utility/endpoints/api/uptime/report/endpoint.ts'
import { type Customer, openShop, refusalOf, type Shop } from '../attacks/shop.ts'
import { servePages } from '../serve-pages.ts'

let site: Awaited<ReturnType<typeof servePages>>
let shop: Shop
let payer: Customer
before(async () => {
  site = await servePages({ '/': 'hello' })
  const fetch = createSafeFetch({ allowPrivateNetwork: true, refusedHosts: new Set(['inner.example']) })
  const dns = createDnsResolver({ servers: ['127.0.0.1:1'], timeoutMs: 50, tries: 1 })
  shop = await openShop({ endpoints: [ping, uptimeReport], ports: { fetch, dns } })
  payer = await shop.newPayer()
})
after(async () => {
  await shop?.close()
  site?.close()
})

/** Micro-USDC: $0.001 and $0.01. */
const PRICES = { '/api/ping': 1_000n, '/api/uptime/report': 10_000n }

for (const [path, price] of Object.entries(PRICES)) {
  const to = (url: string) => `${path}?url=${encodeURIComponent(url)}`

  test(`${path} charges for a target that is up, and for one that is down`, async () => {
    const pay = shop.stockClient(payer).over(fetch)
    for (const [url, up] of [
      [`${site.url}/`, true],
      ['http://127.0.0.1:1/', false],
    ] as const) {
      const before = await shop.balanceOf(payer.address)
      const response = await pay(`${shop.seller.url}${to(url)}`)
      assert.equal(response.status, 200)
      assert.equal(((await response.json()) as { up: boolean }).up, up)
      assert.equal(before - (await shop.balanceOf(payer.address)), price)
    }
  })

  test(`${path} charges nothing for a target that may not be reached`, async () => {
    const refused = to('http://inner.example/')
    const before = await shop.balanceOf(payer.address)
    const response = await shop.ask(refused, await shop.sign(payer, refused))
    assert.equal(await refusalOf(response), 'invalid_request')
    assert.equal(await shop.balanceOf(payer.address), before)
  })
}
