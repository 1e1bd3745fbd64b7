import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { devKey } from '@tollbook/chain/dev-accounts'
import { BASE } from '@tollbook/chain/network'
import { openState } from '@tollbook/cli/commands/state/open'
import { createRandom } from '@tollbook/devchain/demo-week/random'
import { FACILITATOR } from '@tollbook/gate/calls/row-kind'
import { toClientEvmSigner } from '@x402/evm'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { decodePaymentResponseHeader, wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { privateKeyToAccount } from 'viem/accounts'
import { startBalancer } from './balancer.ts'
import { openFacilitators } from './facilitator-series.ts'
import { Crew } from './killing.ts'
import { type Market, readBalances } from './market.ts'
import { Watch } from './moments.ts'
import { Sellers } from './sellers.ts'
import { openShop } from './shop.ts'
import { readTransfers } from './transfers.ts'

const FACILITATORS = 3
const SELLERS = 2
const GOODS = [
  { query: '/crash/quick?', price: 1_000n },
  { query: '/crash/slow?afterMs=50&', price: 2_000n },
] as const
const MAX_PAUSE_MS = 150
const RETRY_MS = 20
/** Everything has ended by then, on a busy machine too. */
const REST_MS = 300_000
/** Of a paid call that has to be repeated. */
const TRANSIENT: readonly number[] = [402, 409, 503]
const FINAL: readonly string[] = ['settled', 'released']

type Bought = { readonly price: bigint; readonly transaction: string }

/**
 * Stock clients buy from two sellers that settle with three facilitators behind one address, all with one
 * PostgreSQL, and all killed in turn. In the end the answers, the balances on the chain, and the books of sellers
 * and facilitators agree to the micro-dollar.
 */
export async function killServices(options: {
  readonly market: Market
  readonly stateUrl: string
  readonly seed: number
  readonly kills: number
  readonly onKill?: () => void
}): Promise<{ readonly calls: number }> {
  const { market, stateUrl, seed, kills, onKill } = options
  const random = createRandom(seed)
  const watch = new Watch()
  const facilitators = openFacilitators(market, { stateUrl, random, watch, processes: FACILITATORS })
  const balancer = await startBalancer(facilitators.urls, random)
  const shop = await openShop(market, stateUrl, balancer.url)
  const urls = new Sellers()
  const start = () => shop.startSeller(watch.onRun)
  const sellers = new Crew({ start, sellers: urls, watch, random, processes: SELLERS })
  const state = await openState(stateUrl)
  const stop = new AbortController()
  const late = new AbortController()
  const bought: Bought[] = []

  /** Repeats a call until it is answered; its payments share an Idempotency-Key. */
  async function buy(
    pay: typeof fetch,
    call: string,
    { query, price }: (typeof GOODS)[number],
  ): Promise<void> {
    for (;;) {
      const url = await urls.choose(random)
      late.signal.throwIfAborted()
      const headers = { 'idempotency-key': `crash-of-services-${call}` }
      const response = await pay(`${url}${query}call=${call}`, { headers }).catch(() => null)
      const answer = await response?.text().catch(() => null)
      if (response?.status === 200 && answer) {
        assert.equal(JSON.parse(answer).call, call)
        const receipt = decodePaymentResponseHeader(response.headers.get('payment-response') ?? '')
        bought.push({ price, transaction: receipt.transaction })
        return
      }
      const isTransient = !response || response.status === 200 || TRANSIENT.includes(response.status)
      assert.ok(isTransient, `${call}: ${response?.status} ${answer}`)
      await wait(RETRY_MS)
    }
  }

  async function keepBuying(at: number): Promise<void> {
    const chance = createRandom(seed * 100 + at)
    const signer = toClientEvmSigner(privateKeyToAccount(devKey(`crash payer ${at}`)))
    const client = new x402Client().register(BASE.id, new ExactEvmScheme(signer))
    const pay = wrapFetchWithPayment(fetch, client) as typeof fetch
    for (let call = 1; !stop.signal.aborted; call += 1) {
      await buy(pay, `${seed}-${at}-${call}`, GOODS[chance() < 0.7 ? 0 : 1])
      await wait(chance() * MAX_PAUSE_MS)
    }
  }

  const readBooks = () =>
    state.db
      .selectFrom('paid_call')
      .select(({ fn }) => ['service', 'state', fn.countAll().as('rows'), fn.sum('charge').as('charge')])
      .groupBy(['service', 'state'])
      .execute()

  try {
    const [before, oldBooks] = [await readBalances(market), await readBooks()]
    assert.deepEqual(oldBooks, [])
    const fromBlock = Number(await market.chain.rpc.call('eth_blockNumber', [])) + 1
    await Promise.all([facilitators.crew.open(), sellers.open()])
    const buying = Promise.all(market.payers.map((_, at) => keepBuying(at)))
    // Awaited below.
    buying.catch(() => {})
    for (let kill = 0; kill < kills; kill += 1) {
      const turn = Math.floor(kill / 2)
      await (kill % 2 === 0 ? facilitators.crew.kill(turn % FACILITATORS) : sellers.kill(turn % SELLERS))
      onKill?.()
    }
    await Promise.all([facilitators.crew.opened(), sellers.opened()])
    stop.abort()
    const timer = setTimeout(() => late.abort(new Error('calls were not answered')), REST_MS)
    await buying
    while (!(await readBooks()).every(({ state: at }) => FINAL.includes(at))) {
      late.signal.throwIfAborted()
      await wait(50)
    }
    clearTimeout(timer)

    const owed = bought.reduce((sum, { price }) => sum + price, 0n)
    const after = await readBalances(market)
    assert.deepEqual([after.seller - before.seller, before.payers - after.payers], [owed, owed])
    const settled = (await readBooks()).filter(({ state: at }) => at === 'settled')
    const books = settled.map(({ service, rows, charge }) => [service, Number(rows), BigInt(charge ?? 0)])
    assert.deepEqual(
      books.toSorted(),
      [FACILITATOR, 'utility'].map((name) => [name, bought.length, owed]),
    )
    const transfers = await readTransfers(market.chain.rpc, market.payTo, fromBlock)
    const toLines = (all: readonly { readonly transaction: string; readonly amount: bigint }[]) =>
      all.map(({ transaction, amount }) => `${transaction} ${amount}`).toSorted()
    assert.deepEqual(
      toLines(transfers),
      toLines(bought.map(({ price, ...one }) => ({ ...one, amount: price }))),
    )
    return { calls: bought.length }
  } catch (error) {
    const logs = `sellers: ${shop.readLog()}\nfacilitators: ${facilitators.readLog()}`
    throw new Error(`seed ${seed}; ${logs}`, { cause: error })
  } finally {
    stop.abort()
    late.abort()
    urls.end()
    await Promise.all([facilitators.close(), sellers.close()])
    await Promise.all([balancer.close(), state.close(), shop.close()])
  }
}
