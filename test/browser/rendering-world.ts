import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createSafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import { startOwnChromium } from '@tollbook/testing/browser/own-chromium'
import { runEndpoint, TEST_PAYER } from '@tollbook/testing/catalogue/run-endpoint'
import type { RenderLimits } from '@tollbook/utility/browser/browser-task'
import { createPageBrowser, shareBrowser } from '@tollbook/utility/browser/page-browser'
import { scrape } from '@tollbook/utility/endpoints/api/scrape/endpoint'
import { readPage } from '@tollbook/utility/page/read-page'
import { createWorkerPool } from '@tollbook/workers/pool'
import { startCanary } from './canary.ts'
import { hostilePage } from './hostile-page.ts'

/** Reachable by the rules of these tests; the canary listens on another address of this machine. */
const SITE = '127.0.0.2'
const OTHER_SITE = '127.0.0.3'
const SHELL = '<!doctype html><title>App</title><div id="root"></div>'
export const PARAGRAPH = 'The tide of the bay rises twice a day, and falls as often. '.repeat(20).trim()
/** A page of one colour, 3000 pixels high. */
const LOOK = 'body { margin: 0; background: rgb(0, 128, 255) } div { height: 3000px } img { display: none }'
const APP = `import { text } from './text.js'
const { heading } = await (await fetch('/api/heading', { headers: { 'x-api-key': 'public' } })).json()
document.querySelector('#root').innerHTML = '<main><h1>' + heading + '</h1><p>' + text + '</p><img src="/sea.png" alt="Sea" onerror="this.remove()"></main>'`

/** Only a browser that never answers takes longer, however busy the machine is. */
const PATIENT = { deadlineMs: 600_000, limits: { connectMs: 600_000 } } as const

export type RenderAsking = {
  readonly render?: 'always' | 'never'
  readonly url?: string
  readonly deadlineMs?: number
  readonly limits?: Partial<RenderLimits>
  /** Further fields of the call. */
  readonly more?: object
}

/**
 * A site of pages that scripts write, a host that they may not reach, and a browser for `/api/scrape`; or why
 * this machine has no browser.
 */
export async function startRenderingWorld() {
  const chromium = await startOwnChromium()
  if (typeof chromium === 'string') return chromium
  const workers = createWorkerPool({ threads: 1, deadlineScale: 100 })
  const asked: string[] = []
  const canary = await startCanary()
  const documents = (path: string): string | undefined =>
    ({
      '/app': `${SHELL}<script type="module" src="/app.js"></script>`,
      '/static': `<title>Few words</title><p>Closed today.</p><script>document.title = 'ran'</script>`,
      '/data': `<title>Few words</title><p>Closed today.</p><script type="application/ld+json">{}</script>`,
      '/loop': `${SHELL}<script>for (;;);</script>`,
      '/alerts': `${SHELL}<script>fetch('/began?/alerts'); for (;;) { try { alert(1) } catch {} try { confirm(1); prompt(1); print() } catch {} }</script>`,
      '/windows': `${SHELL}<script>fetch('/began?/windows'); for (;;) { try { open('/article') } catch {} }</script>`,
      '/reloads': `${SHELL}<script>fetch('/began?/reloads'); onbeforeunload = () => 1; for (let i = 0; i < 1e4; i++) location.reload()</script>`,
      '/dialogs': `${SHELL}<script>root.innerHTML = '<p>${PARAGRAPH}</p>'; document.title = ['alert', 'confirm', 'prompt', 'print'].filter((name) => name in globalThis).join() || 'no dialogs'</script>`,
      '/loop-began': `${SHELL}<script>fetch('/began?/loop-began'); for (;;);</script>`,
      '/titles': `${SHELL}<script>fetch('/began?/titles'); for (;;) document.title = Math.random()</script>`,
      '/many': `${SHELL}<script>for (let i = 0; i < 10000; i++) fetch('/one?' + i).catch(() => {})</script>`,
      '/leads-on': `${SHELL}<script>location.href = '/article'</script>`,
      '/leads-away': `${SHELL}<script>location.href = '/away'</script>`,
      '/leads-to-file': `${SHELL}<script>location.href = '/file'</script>`,
      '/hop': `${SHELL}<script>location.href = '${origin}/hostile'</script>`,
      '/late': `${SHELL}<script>setTimeout(() => { root.innerHTML = '<p id="late">${PARAGRAPH}</p>' }, 1500)</script>`,
      '/drawn': `<title>Drawn</title><link rel="stylesheet" href="/look.css"><div></div><img src="${canary.url}/sea.png">`,
      '/article': `<title>Tides</title><main><p>${PARAGRAPH}</p></main>`,
      '/hostile': hostilePage({ canary: canary.url, stun: canary.stun, redirect: '/away' }),
    })[path]

  function serve(request: IncomingMessage, response: ServerResponse): void {
    const path = (request.url ?? '').replace(/\?.*/, '')
    asked.push(path === '/began' ? `${request.url}` : path)
    const give = (type: string, body: string) => response.writeHead(200, { 'content-type': type }).end(body)
    const moveTo = (location: string) => response.writeHead(302, { location }).end()
    const html = documents(path)
    if (html !== undefined) give('text/html', html)
    else if (path === '/app.js') moveTo('/assets/app.js')
    else if (path === '/assets/app.js') give('text/javascript', APP)
    else if (path === '/assets/text.js')
      give('text/javascript', `export const text = ${JSON.stringify(PARAGRAPH)}`)
    else if (path === '/api/heading' && request.headers['x-api-key'] === 'public')
      give('application/json', '{"heading":"Two tides a day"}')
    else if (path === '/look.css') give('text/css', LOOK)
    else if (path === '/away') moveTo(`${canary.url}/redirected`)
    else if (path === '/file') give('application/zip', 'PK')
    else response.writeHead(404).end()
  }

  const site = createServer(serve).listen(0, SITE)
  await once(site, 'listening')
  const port = `${(site.address() as AddressInfo).port}`
  const origin = `http://${SITE}:${port}`
  const otherSite = createServer(serve).listen(Number(port), OTHER_SITE)
  await once(otherSite, 'listening')
  const ports = new Set([port, canary.port])
  const fetch = createSafeFetch({
    allowPrivateNetwork: false,
    isReachable: (address) => address === SITE || address === OTHER_SITE,
    ports,
  })
  return {
    origin,
    canary,
    chromium,
    asked,
    otherOrigin: `http://${OTHER_SITE}:${port}`,
    /** Scrapes a page of the site, or a URL. */
    ask(path: string, { render, more, url, limits, ...options }: RenderAsking = {}) {
      const browsers = url === undefined ? chromium : shareBrowser(url)
      const browser = createPageBrowser({
        browsers,
        fetch,
        ...PATIENT,
        ...options,
        limits: { ...PATIENT.limits, ...limits },
      })
      const given = { url: new URL(path, origin).href, ...(render && { render }), ...more }
      return runEndpoint(scrape, given, { ports: { fetch, workers, browser } })
    },
    /** Renders a page of the site that does not end by itself. */
    async render(path: string, signal: AbortSignal, deadlineMs: number) {
      const asking = { payer: TEST_PAYER, signal }
      const page = await readPage(new URL(path, origin).href, { ...asking, ports: { fetch } })
      return createPageBrowser({ browsers: chromium, fetch, ...PATIENT, deadlineMs }).render(page, asking)
    },
    async close() {
      await chromium.close()
      for (const server of [site, otherSite]) {
        server.closeAllConnections()
        server.close()
      }
      canary.close()
      await workers.close()
    },
  }
}
