import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { openLoneProxy, openLoneSeller } from '../paying/lone-proxy.ts'
import { findChromium, startChromium } from './chromium.ts'
import { watchPage } from './drive-page.ts'
import { findViolations } from './find-violations.ts'

const executable = findChromium()
const skip = executable === null ? 'no Chromium on this machine; apt-get install chromium' : false

async function openBrowser(t: TestContext): Promise<Browser> {
  const browser = await startChromium(executable as string)
  t.after(() => browser.close())
  return browser
}

test('the page of what was spent has its style and its icon, fits a phone, and has no dead link', {
  skip,
}, async (t) => {
  const seller = await openLoneSeller(t, (response) => response.end('sold'))
  const proxy = await openLoneProxy(t, seller.url)
  await (await fetch(`${proxy.url}/a/${'long-path-'.repeat(20)}`)).text()
  const page = await (await openBrowser(t)).newPage()
  const complaints = watchPage(page, proxy.url)
  const failed: string[] = []
  page.on('response', (response) => {
    if (response.status() !== 200) failed.push(response.url())
  })
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 900 })
    await page.goto(`${proxy.url}/spent`, { waitUntil: 'load' })
    assert.equal(await page.evaluate<number>('document.documentElement.scrollWidth'), width)
    assert.equal(await page.evaluate<number>('document.styleSheets[0].cssRules.length > 50'), true)
    assert.equal(await page.evaluate<number>("document.querySelector('.brand img').naturalWidth > 0"), true)
    for (const link of await page.locator('a').all()) {
      const target = (await link.getAttribute('href')) ?? ''
      if (!target.startsWith('#')) assert.equal((await page.goto(`${proxy.url}${target}`))?.status(), 200)
    }
  }
  assert.deepEqual(await findViolations(page), [])
  assert.deepEqual([complaints, failed, seller.payments.length], [[], [], 1])
})

/** Ways in which a page of another origin may send a request, each to `PROXY/pay-…`. */
const SCRIPT = `
const ways = {
  get: (url) => fetch(url, { mode: 'no-cors' }),
  unreferred: (url) => fetch(url, { mode: 'no-cors', referrerPolicy: 'no-referrer' }),
  cors: (url) => fetch(url, { headers: { 'x-any': '1' } }),
  sameOrigin: (url) => fetch(url, { mode: 'same-origin' }),
  post: (url) => fetch(url, { mode: 'no-cors', method: 'POST', body: '{}' }),
  put: (url) => fetch(url, { method: 'PUT', body: '{}' }),
  kept: (url) => fetch(url, { mode: 'no-cors', keepalive: true }),
  worker: (url) => new Promise((done) => {
    const worker = new Worker(URL.createObjectURL(new Blob(['fetch(' + JSON.stringify(url) + ',{mode:"no-cors"}).catch(()=>{}).then(()=>postMessage(0))'])))
    worker.onmessage = done
  }),
  xhr: (url) => new Promise((done) => { const xhr = new XMLHttpRequest(); xhr.onloadend = done; xhr.open('GET', url); xhr.send() }),
  beacon: (url) => navigator.sendBeacon(url, 'x'),
  events: (url) => new Promise((done) => { const each = new EventSource(url); each.onerror = () => { each.close(); done() } }),
  socket: (url) => new Promise((done) => { const each = new WebSocket(url.replace('http', 'ws')); each.onerror = done; each.onopen = done }),
  elements: (url) => new Promise((done) => {
    const made = [['img', 'src'], ['script', 'src'], ['iframe', 'src'], ['video', 'src'], ['audio', 'src'], ['embed', 'src'], ['object', 'data'], ['link', 'href', 'stylesheet'], ['link', 'href', 'prefetch'], ['link', 'href', 'preload'], ['link', 'href', 'icon'], ['link', 'href', 'manifest'], ['link', 'href', 'modulepreload']]
    for (const [name, attribute, rel] of made) {
      const element = document.createElement(name)
      if (rel) Object.assign(element, { rel, as: 'fetch' })
      element.referrerPolicy = 'no-referrer'
      element[attribute] = url + '-' + name + (rel ?? '')
      document.body.append(element)
    }
    document.body.style.backgroundImage = 'url(' + url + '-css)'
    setTimeout(done, 500)
  }),
  forms: (url) => new Promise((done) => {
    for (const method of ['get', 'post']) {
      const frame = document.createElement('iframe')
      frame.name = 'frame-' + method
      const form = Object.assign(document.createElement('form'), { method, action: url + '-' + method, target: frame.name, enctype: 'text/plain' })
      document.body.append(frame, form)
      form.submit()
    }
    setTimeout(done, 500)
  }),
  sandboxed: (url) => new Promise((done) => {
    const frame = document.createElement('iframe')
    frame.sandbox = 'allow-scripts'
    frame.srcdoc = '<script>fetch(' + JSON.stringify(url) + ',{mode:"no-cors"})</scr' + 'ipt><img src=' + url + '-img>'
    frame.onload = () => setTimeout(done, 300)
    document.body.append(frame)
  }),
  redirect: (url) => fetch('/redirect?' + url, { mode: 'no-cors' }),
  opened: (url) => { open(url) },
}
async function attack(base) {
  const tried = []
  for (const [name, way] of Object.entries(ways)) {
    await Promise.race([Promise.resolve().then(() => way(base + '/pay-' + name)).catch(() => {}), new Promise((done) => setTimeout(done, 3000))])
    tried.push(name)
  }
  return tried.length
}`

test('a page of another origin makes the proxy pay for nothing, in whatever way it asks', {
  skip,
}, async (t) => {
  const seller = await openLoneSeller(t, (response) => response.end('sold'))
  const proxy = await openLoneProxy(t, seller.url)
  const { port } = new URL(proxy.url)
  const evil = createServer(({ url = '' }, response) => {
    const [, target] = /^\/redirect\?(.*)$/.exec(url) ?? []
    if (target !== undefined) return void response.writeHead(302, { location: target }).end()
    const type = url === '/script.js' ? 'text/javascript' : 'text/html'
    const page = '<!doctype html><body><script src="/script.js"></script>'
    response.writeHead(200, { 'content-type': type }).end(url === '/script.js' ? SCRIPT : page)
  }).listen(0, '127.0.0.1')
  await once(evil, 'listening')
  t.after(() => {
    evil.closeAllConnections()
    evil.close()
  })
  const evilPort = (evil.address() as AddressInfo).port
  const browser = await openBrowser(t)
  // The same site as the proxy, for cookies, but not its origin; and another name of this machine.
  for (const host of ['127.0.0.1', 'localhost']) {
    const page = await browser.newPage()
    for (const base of [`http://127.0.0.1:${port}`, `http://localhost:${port}`]) {
      await page.goto(`http://${host}:${evilPort}/`)
      assert.equal(await page.evaluate<number>(`attack(${JSON.stringify(base)})`), 17)
      // A navigation that the page starts, and one that a person types.
      await page.evaluate(`location.href = ${JSON.stringify(`${base}/pay-location`)}`)
      await page.waitForURL(`${base}/pay-location`)
      assert.equal((await page.goto(`${base}/pay-typed`))?.status(), 400)
    }
    // What was spent is not for other pages either.
    await page.goto(`http://${host}:${evilPort}/`)
    const read = `fetch('${proxy.url}/spent').then((response) => response.text(), () => 'refused')`
    assert.equal(await page.evaluate<string>(read), 'refused')
    await page.close()
  }
  assert.deepEqual(seller.payments, [])
  assert.deepEqual(proxy.buyer.list(9), [])
  // A program is served.
  assert.equal(await (await fetch(`${proxy.url}/pay`)).text(), 'sold')
})
