import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { devKey } from '@tollbook/chain/dev-accounts'
import { BASE } from '@tollbook/chain/network'
import { devUsdcAbi } from '@tollbook/devchain/contracts/abis'
import { createRandom } from '@tollbook/devchain/demo-week/random'
import { toClientEvmSigner } from '@x402/evm'
import { BatchSettlementEvmScheme, InMemoryClientChannelStorage } from '@x402/evm/batch-settlement/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { createPublicClient, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { LAST_EVENT } from './goods.ts'
import { openMarket } from './market.ts'
import type { Seller } from './seller.ts'
import { openShop } from './shop.ts'

/** Time after the start of a call at which its seller is killed; a call takes about 20 ms. */
const MAX_KILL_MS = 60
/** Calls between two kills. */
const CALLS_PER_KILL = 3
const RETRY_MS = 20
const PIECES = 5
/** An answer, a stream and a write that is staged until it is paid; prices in micro-USDC. */
const GOODS = [
  { name: 'quick', price: 1000n },
  { name: 'radio', price: 5000n },
  { name: 'log', price: 5000n },
] as const
type Good = (typeof GOODS)[number]

export type ChannelKills = {
  /** Absent: an SQLite file. */
  readonly stateUrl?: string | undefined
  readonly seed?: number
  /** Sellers at the same time, which serve and are killed in turn; default 1. */
  readonly processes?: number
  readonly onKill?: () => void
}

/**
 * The SDK's client buys from a channel while its sellers are killed, also while they claim. Each call is answered, and
 * the channel is charged once for each; in the end the seller is paid for all.
 */
export async function killChannels(kills: number, options: ChannelKills = {}): Promise<void> {
  const { stateUrl, seed = 1, processes = 1, onKill } = options
  const market = await openMarket(1)
  const shop = await openShop(market, stateUrl)
  const random = createRandom(seed)
  const chain = createPublicClient({ transport: http(market.chain.rpcUrl) })
  const account = privateKeyToAccount(devKey('crash payer 0'))
  const signer = toClientEvmSigner(account, chain)
  const balanceOf = (wallet: `0x${string}`) =>
    chain.readContract({ address: BASE.usdc, abi: devUsdcAbi, functionName: 'balanceOf', args: [wallet] })
  const scheme = new BatchSettlementEvmScheme(signer, { storage: new InMemoryClientChannelStorage() })
  let lastPayment = ''
  const send: typeof fetch = (input, init) => {
    const request = new Request(input, init)
    lastPayment = request.headers.get('payment-signature') ?? ''
    return fetch(request)
  }
  const buy = wrapFetchWithPayment(send, new x402Client().register(BASE.id, scheme))
  const before = { seller: await balanceOf(market.payTo), payer: await balanceOf(account.address) }
  const openSeller = async (seller: Seller) => ({ seller, url: await seller.open() })
  const sellers = await Promise.all(Array.from({ length: processes }, () => openSeller(shop.startSeller())))
  let spare = shop.startSeller()
  try {
    let calls = 0
    let owed = 0n
    let written = 0
    for (let kill = 0; kill < kills; kill += 1) {
      for (let at = 0; at < CALLS_PER_KILL; at += 1) {
        // Each good is the one whose seller is killed in turn.
        const good = GOODS[(kill + at + 1) % GOODS.length] ?? GOODS[0]
        calls += 1
        owed += good.price
        if (good.name === 'log') written += 1
        const call = `call-${calls}`
        let begun = ''
        const turn = calls % processes
        const isLast = at === CALLS_PER_KILL - 1
        const killed = isLast ? wait(random() * MAX_KILL_MS).then(() => sellers[turn]?.seller.kill()) : null
        const opened = killed?.then(async () => {
          const next = spare
          spare = shop.startSeller()
          sellers[turn] = await openSeller(next)
        })
        // An answer that was lost is requested again: the client signs the same voucher. Once a response has
        // begun, it would sign the next one, so the same payment is sent again.
        for (;;) {
          const request = toRequest(good, call, sellers[turn]?.url)
          if (begun) request.headers.set('payment-signature', begun)
          const response = await (begun ? fetch(request) : buy(request)).catch(() => null)
          if (response?.ok) {
            begun = lastPayment
            const text = await response.text().catch(() => '')
            if (isWhole(good, call, text)) break
          } else assert.ok(!response || [402, 409, 503].includes(response.status), await response?.text())
          await opened
          await wait(RETRY_MS)
        }
        await opened
      }
      onKill?.()
    }
    while ((await balanceOf(market.payTo)) - before.seller < owed) await wait(RETRY_MS)
    assert.equal((await balanceOf(market.payTo)) - before.seller, owed)
    const rows = [...(await shop.readRows()).values()].filter(({ state }) => state === 'settled')
    assert.equal(rows.length, calls)
    assert.equal(await shop.countStored(), written)
    await scheme.refund(`${sellers[0]?.url}/crash/quick?call=refund`)
    assert.equal(before.payer - (await balanceOf(account.address)), owed)
  } catch (error) {
    throw new Error(`the sellers' log: ${shop.readLog()}`, { cause: error })
  } finally {
    await Promise.all([spare, ...sellers.map(({ seller }) => seller)].map((seller) => seller.kill()))
    await shop.close()
    await market.close()
  }
}

function toRequest({ name }: Good, call: string, url = ''): Request {
  if (name !== 'log') {
    const pieces = name === 'radio' ? `&pieces=${PIECES}&everyMs=2` : ''
    return new Request(`${url}/crash/${name}?call=${call}${pieces}`)
  }
  // A stored answer of a wallet's own data is given only to a caller that knows the key of the first request.
  const headers = { 'content-type': 'application/json', 'idempotency-key': `written-once-as-${call}` }
  return new Request(`${url}/api/store/log`, { method: 'POST', headers, body: JSON.stringify({ call }) })
}

function isWhole({ name }: Good, call: string, text: string): boolean {
  if (name === 'radio') return text.includes(LAST_EVENT)
  if (text === '') return false
  if (name === 'quick') assert.equal((JSON.parse(text) as { call: string }).call, call)
  return true
}
