import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { openState } from '@tollbook/cli/commands/state/open'
import type { State } from '@tollbook/cli/commands/state/state'
import { type DevChain, startDevChain } from '@tollbook/devchain/dev-chain'
import type { PaymentRequired } from '@tollbook/gate/challenge/payment-required'
import { createChainReader } from '@tollbook/gate/reading/chain-reader'
import {
  type RunningCommand,
  startCommand,
  withoutSettings,
} from '@tollbook/testing/commands/running-command'
import { toAccess } from '@tollbook/testing/payments/settlement-stage'
import { signPayment } from '@tollbook/testing/payments/sign-payment'
import { findFreePort } from '@tollbook/testing/servers/free-port'
import { decodePaymentRequiredHeader } from '@x402/core/http'
import { toHex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { countPending, drainInFront, raceInBlock } from '../attacks/block-race.ts'
import { OPERATOR_SETTING } from '../paying/operator-key.ts'
import { type Prometheus, startPrometheus, withoutPrometheus } from './prometheus.ts'

const skip = withoutPrometheus
const GWEI = 1_000_000_000
/** A minute of the rules lasts two seconds, except for how slow a settlement is. */
const MINUTE_SECONDS = 2
const CALC = '/api/calc?expr=2%2B3'
/** Micro-USDC. */
const CALC_PRICE = 1_000n
const SLOW_SECONDS = 17

type Buyer = ReturnType<typeof privateKeyToAccount> & { readonly key: `0x${string}` }

let chain: DevChain
let folder: string
let environment: NodeJS.ProcessEnv
let utility: RunningCommand
let state: State
let prometheus: Prometheus

// The utility API as its operator starts it, whose search engine refuses every connection.
before(async () => {
  if (skip) return
  folder = mkdtempSync(join(tmpdir(), 'tollbook-alerts-'))
  chain = await startDevChain({ port: 0, genesisSeconds: Math.floor(Date.now() / 1000), clock: 'stopped' })
  await setBaseFee(GWEI / 1_000)
  environment = {
    ...withoutSettings(),
    TOLLBOOK_DATA_DIR: folder,
    TOLLBOOK_DEVCHAIN_PORT: new URL(chain.rpcUrl).port,
    TOLLBOOK_UTILITY_PORT: String(await findFreePort()),
    TOLLBOOK_SEARXNG_URL: 'http://127.0.0.1:1',
    TOLLBOOK_UNPAID_PER_MINUTE: '100000',
    // 86,000 gas at 1 gwei cost 0.0086 dollars, at 11 gwei 0.095: a call of 0.001 dollars is sold up to 0.05.
    TOLLBOOK_ETH_USD: '100',
    TOLLBOOK_MAX_GAS_PERCENT: '5000',
    ...OPERATOR_SETTING,
    TOLLBOOK_LOG_LEVEL: 'error',
  }
  utility = await startCommand(['serve', 'utility'], environment)
  state = await openState(`sqlite:${join(folder, 'state.sqlite')}`)
  prometheus = await startPrometheus([utility.addresses.utility ?? ''], MINUTE_SECONDS)
})
after(async () => {
  await prometheus?.close()
  await state?.close()
  await utility?.close()
  await chain?.close()
  if (folder) rmSync(folder, { recursive: true, force: true })
})

const fires = (name: string, work?: () => Promise<unknown>) =>
  prometheus.until((firing) => firing.includes(name), work)
const stops = (name: string, work?: () => Promise<unknown>) =>
  prometheus.until((firing) => !firing.includes(name), work)

test('TollbookErrors fires while an upstream refuses, and nothing is charged', { skip }, async () => {
  const [buyer] = await newBuyers(1, 1_000_000n)
  assert(buyer)
  await fires('TollbookErrors', async () => {
    const response = await buy('/api/search', buyer, toPost({ query: 'tide' }))
    // 503 before any payment while its circuit breaker is open.
    assert([502, 503].includes(response.status), await response.text())
  })
  assert.equal(await balanceOf(buyer), 1_000_000n)
  await stops('TollbookErrors')
})

test('TollbookWorkersBusy fires while more pages are parsed than the threads can take', {
  skip,
}, async () => {
  const paragraph = '<p>The tide at the <a href="/quay">quay</a> is high at <b>noon</b>.</p>'
  const html = `<article>${paragraph.repeat(Math.floor(300_000 / paragraph.length))}</article>`
  const post = toPost({ html })
  const buyers = await newBuyers(6, 1_000_000n)
  let isOver = false
  const keepBuying = async (buyer: Buyer) => {
    while (!isOver) await (await buy('/api/scrape', buyer, post)).body?.cancel()
  }
  const calls = Promise.all(buyers.flatMap((buyer) => Array.from({ length: 8 }, () => keepBuying(buyer))))
  await fires('TollbookWorkersBusy')
  isOver = true
  await calls
  await stops('TollbookWorkersBusy')
})

test('TollbookGasExpensive fires while a settlement costs more than the call earns', { skip }, async () => {
  await setBaseFee(10 * GWEI)
  await fires('TollbookGasExpensive', async () => (await ask(CALC)).body?.cancel())
  await setBaseFee(GWEI / 1_000)
  await stops('TollbookGasExpensive')
})

test('TollbookSettlementSlow fires when blocks are late', { skip }, async () => {
  const [buyer] = await newBuyers(1, 1_000_000n)
  assert(buyer)
  await untilSold()
  // A rate needs a value before.
  assert.equal((await buy(CALC, buyer)).status, 200)
  await chain.rpc.call('evm_setAutomine', [false])
  const startedMs = performance.now()
  const bought = buy(CALC, buyer)
  await prometheus.until(() => performance.now() - startedMs > SLOW_SECONDS * 1_000)
  await chain.rpc.call('evm_setAutomine', [true])
  await chain.mine()
  assert.equal((await bought).status, 200)
  await fires('TollbookSettlementSlow')
  await stops('TollbookSettlementSlow')
})

test('without blocks, payments queue, settlements fail and calls are stuck, until there are blocks', {
  skip,
}, async () => {
  // A transaction takes at most 150 payments; the others wait until it is mined.
  const buyers = await newBuyers(640, CALC_PRICE)
  const offer = await ask(CALC)
  const payments = await Promise.all(buyers.map((buyer) => sign(buyer, offer)))
  await chain.rpc.call('evm_setAutomine', [false])
  const calls = payments.map(async (payment) => {
    const response = await ask(CALC, {}, payment)
    await response.body?.cancel()
    return response.status
  })
  await fires('TollbookSettlementQueue')
  await fires('TollbookSettlementsFail')
  await fires('TollbookCallStuck')
  const statuses = await Promise.all(calls)
  await chain.rpc.call('evm_setAutomine', [true])
  for (const name of ['TollbookCallStuck', 'TollbookSettlementQueue', 'TollbookSettlementsFail'])
    await stops(name, () => chain.mine())
  // Every call was refused, for now or for good: a buyer that must pay again has kept its money, and every other buyer
  // has paid exactly if the ledger says so.
  const charged = await readCharged()
  const left = await Promise.all(buyers.map(balanceOf))
  buyers.forEach(({ address }, at) => {
    const status = statuses[at] ?? 0
    assert([402, 503].includes(status), `${status}`)
    assert.equal(left[at], charged.has(address.toLowerCase()) ? 0n : CALC_PRICE)
    if (status === 402) assert.equal(left[at], CALC_PRICE)
  })
})

test('TollbookGasBurnt fires when wallets empty themselves in the block of their settlement', {
  skip,
}, async () => {
  await fires('TollbookGasBurnt', async () => {
    await untilSold()
    const buyers = await newBuyers(24, CALC_PRICE)
    const offer = await ask(CALC)
    const payments = await Promise.all(buyers.map((buyer) => sign(buyer, offer)))
    const pay = () =>
      Promise.all(payments.map(async (payment) => (await ask(CALC, {}, payment)).body?.cancel()))
    const drain = () => Promise.all(buyers.map(({ key }) => drainInFront(chain, key, CALC_PRICE)))
    await raceInBlock(chain, pay, drain, () => areSent(buyers.length))
  })
})

test('TollbookRestarts fires when a process is killed and started three times, and all alerts stop', {
  skip,
}, async () => {
  await fires('TollbookRestarts', async () => {
    await utility.kill()
    await fires('TollbookDown')
    utility = await startCommand(['serve', 'utility'], environment)
    await stops('TollbookDown')
  })
  await prometheus.until([])
})

/** The payers whose calls were charged, once no call is open. */
async function readCharged(): Promise<ReadonlySet<string>> {
  for (;;) {
    const calls = await state.db.selectFrom('paid_call').select(['payer', 'state', 'is_open']).execute()
    if (calls.some(({ is_open }) => is_open === 1)) await wait(100)
    else return new Set(calls.filter((call) => call.state !== 'released').map(({ payer }) => payer))
  }
}

async function newBuyers(count: number, amount: bigint): Promise<readonly Buyer[]> {
  const buyers: Buyer[] = []
  while (buyers.length < count) {
    const key = generatePrivateKey()
    const account = privateKeyToAccount(key)
    await chain.fundUsdc(account.address, amount)
    await chain.fundGas(account.address)
    buyers.push({ ...account, key })
  }
  return buyers
}

const balanceOf = ({ address }: Buyer) =>
  createChainReader(toAccess(chain.rpcUrl)).balanceOf(address, new AbortController().signal)

function ask(path: string, init: RequestInit = {}, payment?: string): Promise<Response> {
  const headers = { ...init.headers, ...(payment !== undefined && { 'payment-signature': payment }) }
  return fetch(`${utility.addresses.utility}${path}`, { ...init, headers })
}

function toPost(body: unknown): RequestInit {
  return { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
}

/** Pays if a payment is asked for. */
async function buy(path: string, buyer: Buyer, init: RequestInit = {}): Promise<Response> {
  const response = await ask(path, init)
  if (response.status !== 402) return response
  await response.body?.cancel()
  return ask(path, init, await sign(buyer, response))
}

function sign(buyer: Buyer, response: Response): Promise<string> {
  const header = response.headers.get('payment-required') ?? ''
  return signPayment(buyer, decodePaymentRequiredHeader(header) as unknown as PaymentRequired)
}

async function setBaseFee(wei: number): Promise<void> {
  await chain.rpc.call('anvil_setNextBlockBaseFeePerGas', [toHex(wei)])
  await chain.mine()
}

/** The process reads the fee every few seconds. */
async function untilSold(): Promise<void> {
  for (;;) {
    const response = await ask(CALC)
    await response.body?.cancel()
    if (response.status === 402) return
  }
}

/** Whether so many calls are open, and all that can be sent at once has been. */
async function areSent(count: number): Promise<boolean> {
  const calls = await state.db
    .selectFrom('paid_call')
    .select(['state', 'tx_hash'])
    .where('is_open', '=', 1)
    .execute()
  const sent = new Set(calls.flatMap(({ tx_hash }) => tx_hash ?? []))
  const areUnderWay = calls.length === count && calls.every((call) => call.state !== 'reserved')
  return areUnderWay && sent.size > 0 && sent.size === (await countPending(chain))
}
