import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { after, before, beforeEach, test } from 'node:test'
import { DEV_CLIENT_ADDRESSES } from '@tollbook/chain/dev-accounts'
import { CENT, createDesk } from '@tollbook/testing/paying/desk'
import { type Customer, openShop, type Shop } from '@tollbook/testing/paying/shop'
import { network, openPlainTab, type PlainTab } from './plain-page.ts'
import { HOSTILE, richEndpoint } from './rich-endpoint.ts'
import { requestWallet, type ScriptedWallet, untouched, WALLET_NAME } from './scripted-wallet.ts'

const GOOD = '/test/good?word=toll'
const PAY = `Pay with ${WALLET_NAME}`
const SCRIPTS = new URL('../../packages/endpoints/src/paying/browser/', import.meta.url)

const desk = createDesk()
let shop: Shop
let payer: Customer
let wallet: ScriptedWallet
let tab: PlainTab

before(async () => {
  shop = await openShop({ endpoints: [...desk.endpoints, richEndpoint] })
  payer = await shop.newPayer()
  wallet = { ...untouched(payer), requested: [] }
  const provider = {
    async request({
      method,
      params = [],
    }: {
      readonly method: string
      readonly params?: readonly unknown[]
    }) {
      const answer = await requestWallet(wallet, shop.seller.chain, method, params)
      if ('result' in answer) return answer.result
      throw Object.assign(new Error(answer.error.message), { code: answer.error.code })
    },
  }
  tab = await openPlainTab(shop.seller.url, { [WALLET_NAME]: provider })
})
beforeEach(() => {
  Object.assign(wallet, untouched(payer))
  desk.during = () => {}
  tab.fetch = network
})
after(() => shop?.close())

/** Lets the service run a paid request, and gives the page another answer; null: the connection breaks. */
function loseAnswers(count: number, answer: () => Response | null): void {
  let left = count
  tab.fetch = async (url, init) => {
    const response = await network(url, init)
    if (left === 0 || !new Headers(init?.headers).has('payment-signature')) return response
    left -= 1
    const other = answer()
    if (other) return other
    throw new TypeError('fetch failed')
  }
}

const signatures = () => wallet.requested.filter((method) => method === 'eth_signTypedData_v4').length

test('the page starts the scripts that are tested here, and the service serves them unchanged', async () => {
  const page = await tab.open(GOOD)
  assert.equal(page.document.querySelector('script')?.getAttribute('src'), '/pay/pay.js')
  for (const name of readdirSync(SCRIPTS).filter((each) => each.endsWith('.js'))) {
    const served = await fetch(`${shop.seller.url}/pay/${name}`)
    assert.equal(await served.text(), readFileSync(new URL(name, SCRIPTS), 'utf8'), name)
  }
})

test('one click pays with the demo account, and shows the answer and its transaction', async () => {
  const [demo] = DEV_CLIENT_ADDRESSES
  const before = await shop.balanceOf(demo)
  const page = await tab.open(GOOD)
  const earned = await shop.earnedBy(async () => {
    page.click('Pay with the demo account')
    await page.untilAnswered()
  })
  assert.deepEqual([earned, before - (await shop.balanceOf(demo))], [CENT, CENT])
  const hash = page.document.querySelector('#receipt code')?.textContent as `0x${string}`
  assert.equal((await shop.chain.getTransactionReceipt({ hash })).status, 'success')
  assert.match(page.document.querySelector('#content')?.textContent ?? '', /toll/)
})

test('a wallet pays a POST, and nothing in the answer becomes an element', async () => {
  const page = await tab.open('/try/test/rich')
  const earned = await shop.earnedBy(async () => {
    page.click(PAY)
    await page.untilAnswered()
  })
  assert.deepEqual([earned, signatures() > 0], [CENT, true])
  const content = page.document.querySelector('#content')
  assert.equal(content?.querySelector('h3')?.textContent, 'Tides')
  assert.equal(content?.querySelector('td')?.textContent, HOSTILE)
  assert.equal(content?.querySelector('script'), null)
  const links = [...(content?.querySelectorAll('a') ?? [])].map((each) => each.getAttribute('href'))
  assert.deepEqual(links, ['https://tides.example/', 'https://tides.example/x.png'])
})

test('who rejects the signature, is on another chain or has too little, pays nothing and learns why', async () => {
  const { runs } = desk
  const earned = await shop.earnedBy(async () => {
    const page = await tab.open(GOOD)
    wallet.rejects = ['eth_signTypedData_v4']
    page.click(PAY)
    await page.untilAnnounced(`You rejected the request in ${WALLET_NAME}. Nothing was paid.`)
    Object.assign(wallet, { rejects: ['wallet_switchEthereumChain'], chainId: 1 })
    page.click(PAY)
    await page.untilAnnounced('on the wrong chain. Switch it to Base')
    Object.assign(wallet, { ...untouched(payer), isOnRealBase: true })
    page.click(PAY)
    await page.untilAnnounced('would be worth real money on Base')
    Object.assign(wallet, { isOnRealBase: false, account: await shop.newPayer(9_999n) })
    page.click(PAY)
    await page.untilAnnounced('has $0.009999 on Base, and the call costs $0.01.')
  })
  assert.deepEqual([earned, desk.runs], [0n, runs])
})

test('arguments that would be refused are named before anything is signed', async () => {
  const page = await tab.open('/test/good?word=much-longer-than-twenty')
  const before = wallet.requested.length
  page.click(PAY)
  await page.untilAnnounced('Nothing was paid.')
  assert.match(page.status(), /^word must have at most 20 characters\./)
  assert.equal(wallet.requested.length, before)
})

test('a wallet that answers after its person stopped waiting has paid nothing', async () => {
  const page = await tab.open(GOOD)
  const held = Promise.withResolvers<void>()
  const requested = Promise.withResolvers<void>()
  wallet.during = (method) => {
    if (method !== 'eth_signTypedData_v4') return
    requested.resolve()
    return held.promise
  }
  const earned = await shop.earnedBy(async () => {
    page.click(PAY)
    await requested.promise
    page.click(`Stop waiting for ${WALLET_NAME}`)
    await page.untilAnnounced(`You stopped waiting. What ${WALLET_NAME} signs now is not sent.`)
    held.resolve()
  })
  assert.equal(earned, 0n)
  assert.equal((await tab.open(GOOD)).status(), '')
})

test('an answer that was lost on its way is fetched again with the same payment', async () => {
  loseAnswers(1, () => null)
  const before = signatures()
  const page = await tab.open(GOOD)
  const earned = await shop.earnedBy(async () => {
    page.click(PAY)
    await page.untilAnswered()
  })
  assert.deepEqual([earned, signatures() - before], [CENT, 1])
})

test('an answer that is not of the service leaves the payment in the tab, and a new page gets the answer', async () => {
  loseAnswers(1, () => new Response('<h1>Sign in to the network</h1>'))
  const before = signatures()
  const page = await tab.open('/try/test/good')
  const earned = await shop.earnedBy(async () => {
    page.click(PAY)
    await page.untilAnnounced('The answer is not from the service. A payment that was signed is stored')
    // Another page of the tab sends nothing.
    assert.equal((await tab.open('/try/test/good?word=other')).status(), '')
    await (await tab.open('/try/test/good')).untilAnswered()
  })
  assert.deepEqual([earned, signatures() - before], [CENT, 1])
  assert.equal((await tab.open('/try/test/good')).status(), '')
})
