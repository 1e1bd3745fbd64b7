import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { createServer, get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { DEV_CLIENT_ADDRESSES } from '@tollbook/chain/dev-accounts'
import { json } from '@tollbook/endpoints/answer'
import { defineEndpoint } from '@tollbook/endpoints/endpoint'
import { toRequests } from '@tollbook/testing/catalogue/example-requests'
import { CENT, createDesk } from '@tollbook/testing/paying/desk'
import type { Shop } from '@tollbook/testing/paying/shop'
import { decodePaymentRequiredHeader } from '@x402/core/http'
import * as z from 'zod'
import { findChromium, startChromium } from '../browser/chromium.ts'
import { drivePage, watchPage } from '../browser/drive-page.ts'
import { measureHeads } from '../paying/measure-heads.ts'
import { fromChannel, STOCK_CLIENTS } from '../paying/stock-clients.ts'
import { openToolClient } from '../paying/tool-client.ts'
import { openWholeShop } from '../paying/whole-shop.ts'
import { loadAll } from '../soak/errands.ts'
import { DEBIAN_PROXIES, type DebianProxy, startDebianProxy } from './parts/debian-proxies.ts'

const DOCUMENT = readFileSync(join(import.meta.dirname, '../../docs/operate.md'), 'utf8')
/** With the longest heads of 402 answers. */
const SETTINGS = {
  TOLLBOOK_TRUSTED_PROXIES: '127.0.0.1',
  TOLLBOOK_OFFER_KEY: `0x${'5a'.repeat(32)}`,
  TOLLBOOK_ICON_URL: `https://icons.example/${'i'.repeat(178)}`,
}
/** More than nginx takes by default (client_max_body_size 1m). */
const LARGE = 4_500_000
/** Longer than HAProxy (timeout server 50000) and nginx (proxy_read_timeout 60s) wait by default. */
const LONG_MS = 65_000
const executable = findChromium()

const desk = createDesk()
const slow = defineEndpoint({
  id: 'test.slow',
  method: 'GET',
  path: '/test/slow',
  summary: 'Answer late',
  description: 'A late answer.',
  input: z.object({ word: z.string().describe('Any word.') }),
  output: z.object({ word: z.string() }),
  pricing: { kind: 'exact', priceUsd: '0.01' },
  scope: 'wallet',
  limits: { bodyBytes: 1024, timeoutMs: 290_000 },
  example: { input: { word: 'toll' }, output: { word: 'toll' } },
  handle: async ({ input: { word }, signal }) => {
    await wait(LONG_MS, undefined, { signal })
    return json({ word })
  },
})
const all = [...(await loadAll()).values()].flat().map(({ availability: _, ...endpoint }) => endpoint)
const paid = all.filter(({ pricing }) => pricing.kind !== 'free')

let shop: Shop
before(async () => {
  shop = await openWholeShop([...all, ...desk.endpoints, slow], { settings: SETTINGS, tools: ['test.good'] })
})
after(() => shop?.close())

/** The configuration that operators copy: the block in its language below the name of the proxy. */
function documentedSite(name: string): string {
  const [, site] = new RegExp(`^\\*\\*${name}\\*\\*.*\n\`\`\`\\w*\n([^]*?)\`\`\``, 'm').exec(DOCUMENT) ?? []
  return site ?? assert.fail(`docs/operate.md has no configuration of ${name}`)
}

/** Header names that show whether an answer came through. */
const SAME = ['payment-required', 'content-type', 'allow', /^access-control-/]

async function comparableOf(url: string, init: RequestInit) {
  const { status, headers } = await fetch(url, init)
  const kept = [...headers].filter(([name]) =>
    SAME.some((one) => one === name || (one as RegExp).test?.(name)),
  )
  return { status, headers: Object.fromEntries(kept) }
}

/** What must work with any configuration. */
function sellsThrough(proxy: () => string): void {
  test('every endpoint answers 402 with the terms that it has itself', async () => {
    for (const endpoint of paid) {
      const [request] = toRequests(endpoint, all)
      assert.ok(request)
      const [through, direct] = await Promise.all(
        [proxy(), shop.seller.url].map((url) => fetch(`${url}${request.path}`, request.init)),
      )
      assert.equal(through?.status, 402, `${endpoint.path}: ${through?.status}`)
      const [one, other] = [through, direct].map((response) =>
        decodePaymentRequiredHeader(response?.headers.get('payment-required') ?? ''),
      )
      assert.deepEqual(one?.accepts, other?.accepts)
      assert.ok(through.headers.get('www-authenticate') === null || endpoint.pricing.kind === 'exact')
      const body = (await through.json()) as { accepts: unknown }
      assert.ok(Array.isArray(body.accepts))
      await direct?.arrayBuffer()
    }
  })

  for (const [name, client] of Object.entries({ ...STOCK_CLIENTS, 'a channel': fromChannel }))
    test(`${name} pays`, async () => {
      const buy = client(await shop.newPayer(), shop)
      for (const path of ['/api/a11y/contrast?fg=%23777&bg=white', '/test/good?word=toll%2Fbook']) {
        const response = await buy(`${proxy()}${path}`)
        assert.equal(response.status, 200)
        assert.ok(response.headers.get('tollbook-receipt'))
      }
    })

  test('HEAD and OPTIONS are answered as without it', async () => {
    const preflight = { origin: 'https://shop.example', 'access-control-request-method': 'GET' }
    for (const [method, headers] of [
      ['HEAD', {}],
      ['OPTIONS', { ...preflight, 'access-control-request-headers': 'payment-signature' }],
    ] as const)
      for (const path of ['/test/good?word=toll', '/openapi.json', '/healthz']) {
        const [through, direct] = await Promise.all(
          [proxy(), shop.seller.url].map((url) => comparableOf(`${url}${path}`, { method, headers })),
        )
        assert.deepEqual(through, direct, `${method} ${path}`)
      }
  })
}

/** Why its tests are skipped, or false. */
const absenceOf = (name: string, { program }: DebianProxy) =>
  existsSync(program) ? false : `${name} is not installed; apt-get install ${name}`

for (const [name, proxy] of Object.entries(DEBIAN_PROXIES)) {
  const skip = absenceOf(name, proxy)

  suite(`${name} as Debian installs it, with the least that makes it a proxy`, { skip }, () => {
    let running: Awaited<ReturnType<typeof startDebianProxy>>
    before(async () => {
      running = await startDebianProxy(proxy, proxy.minimal, shop.seller.url)
    })
    after(() => running?.close())
    sellsThrough(() => running.url)
  })

  suite(`${name} as docs/operate.md configures it`, { skip }, () => {
    let running: Awaited<ReturnType<typeof startDebianProxy>>
    let measured: ReturnType<typeof measureHeads>
    before(async () => {
      running = await startDebianProxy(proxy, documentedSite(name), shop.seller.url)
      measured = measureHeads(shop.seller.url)
    })
    after(async () => {
      measured?.stop()
      await running?.close()
    })
    sellsThrough(() => running.url)

    test('a stream arrives piece by piece', async () => {
      const written: (() => void)[] = []
      desk.during = () => new Promise<void>((resolve) => written.push(resolve))
      try {
        const buy = shop.stockClient(await shop.newPayer()).over(fetch)
        const asked = buy(`${running.url}/test/live?word=toll`)
        while (written.length === 0) await new Promise(setImmediate)
        written[0]?.()
        const { body } = await asked
        const reader = body?.pipeThrough(new TextDecoderStream()).getReader()
        let text = ''
        while (!text.includes('toll')) text += (await reader?.read())?.value ?? assert.fail('it has ended')
        assert.doesNotMatch(text, /book/)
        while (written.length === 1) await new Promise(setImmediate)
        written[1]?.()
        for (let piece = await reader?.read(); piece && !piece.done; piece = await reader?.read())
          text += piece.value
        assert.match(text, /book/)
      } finally {
        desk.during = () => {}
      }
    })

    test('an encoded slash in a path is no separator', async () => {
      const buy = shop.stockClient(await shop.newPayer()).over(fetch)
      const response = await buy(`${running.url}/test/items/toll%2Fbook`)
      assert.equal(response.status, 200)
      assert.equal(((await response.json()) as { word: string }).word, 'toll/book')
    })

    test('a file in a form and 4.5 MB of JSON are uploaded and paid', async () => {
      const buy = shop.stockClient(await shop.newPayer()).over(fetch)
      const form = new FormData()
      form.append('file', new File(['a'], 'a.txt', { type: 'text/plain' }))
      const photo = await buy(`${running.url}/test/photos`, { method: 'POST', body: form })
      assert.equal(photo.status, 200)
      const headers = { 'content-type': 'application/json' }
      const body = JSON.stringify({
        data: `tide\n${`${'high '.repeat(1_000)}\n`.repeat(LARGE / 5_000)}`,
        from: 'csv',
        to: 'tsv',
      })
      const converted = await buy(`${running.url}/api/data/convert`, { method: 'POST', body, headers })
      assert.equal(converted.status, 200)
      assert.ok((await converted.text()).length > LARGE * 0.9)
    })

    test('a tool of the MCP server is listed, called and paid', async () => {
      const { client, call } = await openToolClient(running.url)
      const { tools } = await client.listTools()
      const [tool] = tools
      assert.ok(tool)
      const payer = await shop.newPayer(CENT)
      const payment = await shop.sign(payer, '/test/good?word=toll')
      const { isError, content } = await call(tool.name, { word: 'toll' }, payment)
      assert.ok(!isError, JSON.stringify(content))
      assert.equal(await shop.balanceOf(payer.address), 0n)
      await client.close()
    })

    test('a person pays on the page', {
      skip: executable === null && 'no Chromium on this machine; apt-get install chromium',
    }, async () => {
      const browser = await startChromium(executable ?? '')
      try {
        const page = await browser.newPage()
        const complaints = watchPage(page, running.url)
        const driver = drivePage(page, running.url)
        await driver.open('/test/good?word=toll')
        const held = await shop.balanceOf(DEV_CLIENT_ADDRESSES[0])
        await driver.pay('the demo account')
        await driver.untilAnswered()
        assert.equal(held - (await shop.balanceOf(DEV_CLIENT_ADDRESSES[0])), CENT)
        assert.deepEqual(complaints, [])
      } finally {
        await browser.close()
      }
    })

    test('the address of a caller is the one that the proxy saw, whatever the caller says', async () => {
      const seen: string[] = []
      desk.during = ({ clientAddress }) => void seen.push(clientAddress)
      // Handlers of public answers do not see it.
      const path = '/test/diary?word=where'
      const payment = await shop.sign(await shop.newPayer(), path)
      const headers = { 'payment-signature': payment, 'x-forwarded-for': '203.0.113.9' }
      const [response] = await once(
        get(`${running.url}${path}`, { headers, localAddress: '127.0.0.2' }),
        'response',
      )
      response.resume()
      desk.during = () => {}
      assert.equal(response.statusCode, 200)
      assert.deepEqual(seen, ['127.0.0.2'])
    })

    test('the largest heads that passed', (t) => {
      const most = (of: 'requestBytes' | 'responseBytes', from = measured.heads) =>
        Math.max(...from.map((heads) => heads[of]))
      const settled = measured.heads.filter(
        ({ status, path }) => status === 200 && /test|contrast/.test(path),
      )
      t.diagnostic(
        `requests ${most('requestBytes')}, answers ${most('responseBytes')}, paid ${most('responseBytes', settled)}`,
      )
      assert.ok(most('responseBytes') <= 4_000)
    })
  })
}

suite('calls that take longer than the default timeouts', { concurrency: true }, () => {
  for (const [name, proxy] of Object.entries(DEBIAN_PROXIES))
    test(`${name} waits for ${LONG_MS / 1_000} seconds`, { skip: absenceOf(name, proxy) }, async () => {
      const running = await startDebianProxy(proxy, documentedSite(name), shop.seller.url)
      try {
        const buy = shop.stockClient(await shop.newPayer()).over(fetch)
        const response = await buy(`${running.url}/test/slow?word=${name}`)
        assert.equal(response.status, 200)
      } finally {
        await running.close()
      }
    })
})

suite('a service with aliases', () => {
  for (const [name, proxy] of Object.entries(DEBIAN_PROXIES))
    test(`gets from ${name} the host that the caller requested`, {
      skip: absenceOf(name, proxy),
    }, async () => {
      const service = createServer((request, response) => response.end(request.headers.host))
      service.listen(0, '127.0.0.1')
      await once(service, 'listening')
      const { port } = service.address() as AddressInfo
      const running = await startDebianProxy(proxy, documentedSite(name), `http://127.0.0.1:${port}`)
      try {
        assert.equal(await (await fetch(running.url)).text(), new URL(running.url).host)
      } finally {
        await running.close()
        service.close()
      }
    })
})
