import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { devKey } from '@tollbook/chain/dev-accounts'
import { createRandom, type Random } from '@tollbook/devchain/demo-week/random'
import { isByPermit2, type OfferedPayment } from '@tollbook/gate/payment'
import {
  exactTerms,
  makeByPermit2,
  makeExact,
  permit2Terms,
} from '@tollbook/testing/payments/offered-payment'
import { toBody } from '../facilitator/facilitator-stage.ts'
import { sellFromChannels } from './channel-sales.ts'
import { Crew } from './killing.ts'
import { type Market, slowDown } from './market.ts'
import { Watch } from './moments.ts'
import { type Replicas, requestUntilAnswered, type Settled } from './patient-seller.ts'
import { SELLERS_LOG, startSeller } from './seller.ts'
import { Sellers } from './sellers.ts'
import { readTransfers } from './transfers.ts'

export type FacilitatorSeries = {
  /** Its last payer pays from channels. */
  readonly market: Market
  readonly seed: number
  readonly kills: number
  /** Replicas at the same time, with one key. */
  readonly processes: number
  /** Absent: an SQLite file. */
  readonly stateUrl?: string | undefined
  readonly onKill?: () => void
}

export type FacilitatorResult = {
  readonly payments: number
  /** Deposits, claims, payouts and refunds of channels. */
  readonly operations: number
  /** Requests, with those that got no answer. */
  readonly requests: number
  readonly violations: readonly string[]
}

/** As those of the sellers (shop.ts). */
const SPED_UP = { limits: { leaseMs: 500, heartbeatMs: 100, resendAfterMs: 500 }, nonceLeaseMs: 500 }
const CLIENTS = 12
/** Between two payments of a client: processes that start need the processor too. */
const MAX_PAUSE_MS = 150
const MAX_PRICE = 5_000
/** Payments whose seller sends a key. */
const KEYED_SHARE = 0.5
/** Payments that Permit2 moves. */
const PERMIT2_SHARE = 0.3
/** Clients whose payments are requested twice at the same time. */
const TWIN_SHARE = 0.2
/** Everything that was requested is answered by then, on a busy machine too. */
const REST_MS = 300_000

/**
 * Kills facilitators while sellers settle, each request repeated until it is answered, and compares every answer
 * with the chain: each payment moved once, in the transaction that all its answers name. Another seller sells from
 * channels meanwhile.
 */
export async function killFacilitators(series: FacilitatorSeries): Promise<FacilitatorResult> {
  const { market, seed, kills, processes, onKill } = series
  const random = createRandom(seed)
  const facilitators = openFacilitators(market, { stateUrl: series.stateUrl, random, processes })
  const payTo = toWallet(seed)
  const fromBlock = Number(await market.chain.rpc.call('eth_blockNumber', [])) + 1
  const stop = new AbortController()
  const late = new AbortController()
  const offered: Offered[] = []
  let requests = 0
  const at = (number: number): Replicas => ({
    replicas: facilitators.urls,
    random: createRandom(seed * 100 + number),
    signal: late.signal,
    onRequest: () => {
      requests += 1
    },
  })
  try {
    await facilitators.crew.open()
    const channels = sellFromChannels(market, {
      at: at(CLIENTS),
      payTo: toWallet(seed + 0x8000_0000),
      until: stop.signal,
    })
    const clients = Array.from({ length: CLIENTS }, (_, number) =>
      keepSettling(market, { at: at(number), payTo, until: stop.signal, offered }),
    )
    const all = Promise.all([channels, ...clients])
    // Awaited below: a client that fails meanwhile is no unhandled rejection.
    all.catch(() => {})
    for (let kill = 0; kill < kills; kill += 1) {
      await facilitators.crew.kill()
      onKill?.()
    }
    await facilitators.crew.opened()
    stop.abort()
    const timer = setTimeout(() => late.abort(new Error('requests were not answered')), REST_MS)
    const [{ operations, violations }] = await all.finally(() => clearTimeout(timer))
    return {
      payments: offered.length,
      operations,
      requests,
      violations: [...violations, ...(await audit(market, { offered, payTo, fromBlock }))],
    }
  } catch (error) {
    throw new Error(`seed ${seed}; log:\n${facilitators.readLog()}`, { cause: error })
  } finally {
    stop.abort()
    late.abort()
    await facilitators.close()
  }
}

/** Facilitators of one store, with the network between them and the chain. */
export function openFacilitators(
  market: Market,
  options: {
    readonly stateUrl: string | undefined
    readonly random: Random
    readonly processes: number
    /** Default: one that sees no runs of handlers. */
    readonly watch?: Watch
  },
) {
  const { stateUrl, random, processes, watch = new Watch() } = options
  const dataDir = mkdtempSync(join(tmpdir(), 'tollbook-crash-facilitator-'))
  const setting = {
    ...SPED_UP,
    dataDir,
    stateUrl: stateUrl ?? `sqlite:${join(dataDir, 'state.sqlite')}`,
    rpcUrl: market.proxy.url,
    baseUrl: 'https://facilitator.example',
  }
  const program = 'facilitator-process.ts'
  const start = () => startSeller(setting, { compileCache: market.compileCache, onRun: () => {}, program })
  const urls = new Sellers()
  slowDown(market.proxy, random, watch.onSending)
  return {
    crew: new Crew({
      start,
      sellers: urls,
      watch,
      random,
      processes,
      reportsRuns: options.watch !== undefined,
    }),
    /** Of those that are open. */
    urls,
    readLog(): string {
      try {
        return readFileSync(join(dataDir, SELLERS_LOG), 'utf8').slice(-8_000)
      } catch {
        return ''
      }
    },
    async close() {
      urls.end()
      await this.crew.close()
      market.proxy.setFate(() => 'forward')
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

type Offered = {
  readonly payment: OfferedPayment
  /** Of its requests; without one, one of them gets the success, or the next if its process was killed. */
  readonly key: string | null
  readonly answers: Settled[]
}

/** Settles one payment after the other, some of them twice at the same time. */
async function keepSettling(
  { payers }: Market,
  options: { at: Replicas; payTo: `0x${string}`; until: AbortSignal; offered: Offered[] },
): Promise<void> {
  const { at, payTo, until, offered } = options
  const { random } = at
  while (!until.aborted) {
    const payer = Math.floor(random() * (payers.length - 1))
    const amount = String(1 + Math.floor(random() * MAX_PRICE))
    const further = { payTo, maxTimeoutSeconds: 3_600 }
    const signer = devKey(`crash payer ${payer}`)
    const key = random() < KEYED_SHARE ? randomUUID() : null
    const payment =
      random() < PERMIT2_SHARE
        ? await makeByPermit2(signer, permit2Terms(amount, further))
        : await makeExact(signer, exactTerms(amount, further))
    const offer: Offered = { payment, key, answers: [] }
    offered.push(offer)
    const count = random() < TWIN_SHARE ? 2 : 1
    const headers = key === null ? {} : { 'idempotency-key': key }
    const settle = async () =>
      offer.answers.push(await requestUntilAnswered<Settled>('/settle', toBody(payment), at, headers))
    await Promise.all(Array.from({ length: count }, settle))
    await wait(random() * MAX_PAUSE_MS)
  }
}

async function audit(
  { chain }: Market,
  { offered, payTo, fromBlock }: { offered: readonly Offered[]; payTo: `0x${string}`; fromBlock: number },
): Promise<readonly string[]> {
  const transfers = await readTransfers(chain.rpc, payTo, fromBlock)
  const violations: string[] = []
  const byNonce = Map.groupBy(transfers, ({ nonce }) => nonce?.toLowerCase() ?? 'none')
  for (const { payment, key, answers } of offered) {
    const moved = byNonce.get(payment.nonce) ?? []
    byNonce.delete(payment.nonce)
    const [only] = moved
    if (moved.length !== 1 || only?.amount !== payment.signedAmount)
      violations.push(`${payment.nonce}: ${moved.length} transfers, answers ${JSON.stringify(answers)}`)
    const settled = answers.filter(({ success }) => success)
    const used = isByPermit2(payment) ? 'permit2_invalid_nonce' : 'invalid_exact_evm_nonce_already_used'
    const isRefused = ({ success, errorReason }: Settled) => !success && errorReason === used
    if (settled.length === 0 || !answers.every((answer) => settled.includes(answer) || isRefused(answer)))
      violations.push(`${payment.nonce}: answers ${JSON.stringify(answers)}`)
    for (const { transaction } of key === null ? settled : answers)
      if (transaction !== only?.transaction)
        violations.push(`${payment.nonce}: moved in ${only?.transaction}, answers ${JSON.stringify(answers)}`)
  }
  for (const nonce of byNonce.keys()) violations.push(`${nonce}: a transfer that nobody offered`)
  return violations
}

/** A payee of its own for each series. */
function toWallet(seed: number): `0x${string}` {
  return `0x${seed.toString(16).padStart(8, '0').repeat(5)}`
}
