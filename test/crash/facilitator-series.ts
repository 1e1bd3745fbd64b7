import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { devKey } from '../../src/devchain/accounts.ts'
import { createRandom, type Random } from '../../src/devchain/demo-week/random.ts'
import type { OfferedPayment } from '../../src/payments/payment.ts'
import { toBody } from '../facilitator/facilitator-stage.ts'
import { exactTerms, makeExact } from '../payments/offered-payment.ts'
import { type Market, slowDown } from './market.ts'
import { SELLERS_LOG, type Seller, startSeller } from './seller.ts'
import { Sellers } from './sellers.ts'
import { readTransfers } from './transfers.ts'

export type FacilitatorSeries = {
  readonly market: Market
  readonly seed: number
  readonly kills: number
  /** Replicas at the same time, with one key. */
  readonly processes: number
  /** Absent: an SQLite file. */
  readonly stateUrl?: string
}

export type FacilitatorResult = {
  readonly payments: number
  /** Requests to settle, with those that got no answer. */
  readonly requests: number
  readonly violations: readonly string[]
}

/** As those of the sellers (shop.ts). */
const SPED_UP = { limits: { leaseMs: 500, heartbeatMs: 100, resendAfterMs: 500 }, nonceLeaseMs: 500 }
const CLIENTS = 12
const MAX_PAUSE_MS = 600
const MAX_PRICE = 5_000
/** Clients whose payments are requested twice at the same time. */
const TWIN_SHARE = 0.2
const REQUEST_MS = 30_000

/**
 * Kills facilitators at random moments while sellers settle, each request repeated until it is answered, and
 * compares every answer with the chain: each payment moved once, in the transaction that all its answers name.
 */
export async function killFacilitators(series: FacilitatorSeries): Promise<FacilitatorResult> {
  const { market, seed, kills, processes } = series
  const random = createRandom(seed)
  const dataDir = mkdtempSync(join(tmpdir(), 'tollbook-crash-facilitator-'))
  const setting = {
    ...SPED_UP,
    dataDir,
    stateUrl: series.stateUrl ?? `sqlite:${join(dataDir, 'state.sqlite')}`,
    rpcUrl: market.proxy.url,
    baseUrl: 'https://facilitator.example',
  }
  const start = () =>
    startSeller(setting, {
      compileCache: market.compileCache,
      onRun: () => {},
      program: 'facilitator-process.ts',
    })
  slowDown(market.proxy, random, () => 'forward')
  const payTo = toWallet(seed)
  const fromBlock = Number(await market.chain.rpc.call('eth_blockNumber', [])) + 1
  const sellers = new Sellers()
  const places: Seller[] = []
  const open = async (place: number) => {
    const seller = start()
    places[place] = seller
    sellers.opened(place, await seller.open())
  }
  const stop = new AbortController()
  const offered: Offered[] = []
  let requests = 0
  try {
    for (let place = 0; place < processes; place += 1) await open(place)
    const clients = Array.from({ length: CLIENTS }, async (_, at) => {
      const chance = createRandom(seed * CLIENTS + at)
      while (!stop.signal.aborted) {
        const payer = market.payers[Math.floor(chance() * market.payers.length)]
        if (!payer) throw new Error('there are no payers')
        const amount = String(1 + Math.floor(chance() * MAX_PRICE))
        const payment = await makeExact(
          devKey(`crash payer ${market.payers.indexOf(payer)}`),
          exactTerms(amount, { payTo, maxTimeoutSeconds: 3_600 }),
        )
        const offer: Offered = { payment, answers: [] }
        offered.push(offer)
        const count = chance() < TWIN_SHARE ? 2 : 1
        const settle = () =>
          settleUntilAnswered(offer, sellers, chance, () => {
            requests += 1
          })
        await Promise.all(Array.from({ length: count }, settle))
      }
    })
    for (let kill = 0; kill < kills; kill += 1) {
      await wait(random() * MAX_PAUSE_MS)
      const place = Math.floor(random() * processes)
      sellers.closed(place)
      await places[place]?.kill()
      await open(place)
    }
    stop.abort()
    await Promise.all(clients)
    const violations = await audit(market, { offered, payTo, fromBlock })
    return { payments: offered.length, requests, violations }
  } catch (error) {
    throw new Error(`seed ${seed}; log:\n${readLog(dataDir)}`, { cause: error })
  } finally {
    stop.abort()
    await Promise.all(places.map((seller) => seller.kill()))
    market.proxy.setFate(() => 'forward')
    rmSync(dataDir, { recursive: true, force: true })
  }
}

type Offered = { readonly payment: OfferedPayment; readonly answers: Settled[] }
type Settled = { readonly success: boolean; readonly transaction: string; readonly errorReason?: string }

/** As a patient seller: repeats the request at any replica until the outcome is certain. */
async function settleUntilAnswered(
  { payment, answers }: Offered,
  sellers: Sellers,
  random: Random,
  onRequest: () => void,
): Promise<void> {
  for (;;) {
    const url = await sellers.choose(random)
    onRequest()
    try {
      const response = await fetch(`${url}/settle`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(toBody(payment)),
        signal: AbortSignal.timeout(REQUEST_MS),
      })
      const answer = (await response.json()) as Settled
      if (response.status === 200 && answer.errorReason !== 'settlement_pending') {
        answers.push(answer)
        return
      }
    } catch {
      // Its process was killed, or is about to listen.
    }
    await wait(20)
  }
}

async function audit(
  { chain }: Market,
  { offered, payTo, fromBlock }: { offered: readonly Offered[]; payTo: `0x${string}`; fromBlock: number },
): Promise<readonly string[]> {
  const transfers = await readTransfers(chain.rpc, payTo, fromBlock)
  const violations: string[] = []
  const byNonce = Map.groupBy(transfers, ({ nonce }) => nonce?.toLowerCase() ?? 'none')
  for (const { payment, answers } of offered) {
    const moved = byNonce.get(payment.nonce) ?? []
    byNonce.delete(payment.nonce)
    const [only] = moved
    if (moved.length !== 1 || only?.amount !== payment.signedAmount)
      violations.push(`${payment.nonce}: ${moved.length} transfers, answers ${JSON.stringify(answers)}`)
    for (const { success, transaction } of answers)
      if (!success || transaction !== only?.transaction)
        violations.push(`${payment.nonce}: moved in ${only?.transaction}, answers ${JSON.stringify(answers)}`)
  }
  for (const nonce of byNonce.keys()) violations.push(`${nonce}: a transfer that nobody offered`)
  return violations
}

/** A payee of its own for each series. */
function toWallet(seed: number): `0x${string}` {
  return `0x${seed.toString(16).padStart(8, '0').repeat(5)}`
}

function readLog(folder: string): string {
  try {
    return readFileSync(join(folder, SELLERS_LOG), 'utf8').slice(-8_000)
  } catch {
    return ''
  }
}
