import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { devFacilitatorAddress } from '@tollbook/chain/dev-accounts'
import { BASE } from '@tollbook/chain/network'
import { buildTruth, type DemoTruth } from '@tollbook/testing/devchain/demo-truth'
import { type Hex, parseEventLogs, type RpcLog } from 'viem'
import { devUptoProxyAbi, devUsdcAbi } from '../contracts/abis.ts'
import { type DevChain, startDevChain } from '../dev-chain.ts'
import { buildDemoListings } from './demo-listings.ts'
import { createDemoFacilitators } from './demo-wallet.ts'
import { planWeek } from './plan.ts'
import { playDemoWeek } from './play-week.ts'

const DAY = 86_400
let chain: DevChain
let truth: DemoTruth
let progress: readonly [number, number] = [0, 0]
before(async () => {
  chain = await startDevChain({ port: 0, clock: 'stopped' })
  const sent = await playDemoWeek(chain, {
    onProgress: (done, total) => {
      progress = [done, total]
    },
  })
  truth = buildTruth(sent)
})
after(() => chain.close())

type Block = { readonly timestamp: Hex; readonly number: Hex }
const headOf = () => chain.rpc.call<Block>('eth_getBlockByNumber', ['latest', false])

test('the week has at least 2,000 payments by 40 buyers to 12 merchants, on every settlement path', () => {
  assert.ok(truth.payments.length >= 2000)
  assert.ok(new Set(truth.payments.map(({ buyer }) => buyer)).size >= 40)
  assert.ok(truth.merchants.size >= 12)
  assert.equal(progress[0], progress[1])
  const paths = new Set(truth.payments.map(({ path }) => path))
  assert.deepEqual([...paths].sort(), [
    'batch',
    'bytes',
    'exact-permit2',
    'parts',
    'receive',
    'upto',
    'upto-permit',
  ])
  const transactions = new Set(truth.payments.map(({ transaction }) => transaction))
  assert.ok(transactions.size < truth.payments.length, 'some transactions contain several payments')
})

test('the logs show exactly the planned payments, and other transfers that are not payments', async () => {
  const raw = await chain.rpc.call<RpcLog[]>('eth_getLogs', [{ fromBlock: '0x0' }])
  const logs = parseEventLogs({ abi: [...devUsdcAbi, ...devUptoProxyAbi], logs: raw as never })
  const seen: string[] = []
  const others: string[] = []
  logs.forEach((log, index) => {
    if (log.eventName !== 'Transfer') return
    const [earlier, later] = [logs[index - 1], logs[index + 1]]
    const isSame = (other: typeof earlier) => other?.transactionHash === log.transactionHash
    const isAuthorized = isSame(earlier) && earlier?.eventName === 'AuthorizationUsed'
    const isSettled =
      isSame(later) && (later?.eventName === 'Settled' || later?.eventName === 'SettledWithPermit')
    const { from, to, value } = log.args
    const line = `${log.transactionHash} ${from} ${to} ${value}`.toLowerCase()
    if (isAuthorized || isSettled) seen.push(line)
    else others.push(line)
  })
  const planned = truth.payments.map((p) => `${p.transaction} ${p.buyer} ${p.merchant} ${p.amount}`)
  const gasless = seen.filter((line) => !planned.includes(line))
  assert.deepEqual(seen.filter((line) => !gasless.includes(line)).sort(), planned.sort())
  assert.equal(gasless.length, 10)
  // 25 plain transfers and 4 returns in addition to the mints.
  assert.equal(others.filter((line) => !line.includes(` 0x${'0'.repeat(40)} `)).length, 29)
})

test('times cover the last seven days, and more is paid by day than by night', async () => {
  const times = truth.payments.map(({ timestamp }) => timestamp)
  const [first, last] = [Math.min(...times), Math.max(...times)]
  assert.ok(last - first > 6.9 * DAY && last - first <= 7 * DAY)
  assert.ok(last > Date.now() / 1000 - 0.1 * DAY)
  assert.equal(new Set(times.map((time) => Math.floor((last - time) / DAY))).size, 7)
  const hourOf = (time: number) => new Date(time * 1000).getUTCHours()
  const inHours = (from: number, until: number) =>
    times.filter((time) => hourOf(time) >= from && hourOf(time) < until).length
  assert.ok(inHours(12, 18) > 1.5 * inHours(0, 6), `${inHours(12, 18)} by day, ${inHours(0, 6)} by night`)
  // The chain's clock keeps running: its head reaches a time that was in the future when the week ended.
  const now = Math.floor(Date.now() / 1000)
  let head = Number((await headOf()).timestamp)
  while (head < now) {
    await wait(100)
    head = Number((await headOf()).timestamp)
  }
  assert.ok(head <= Date.now() / 1000 + 2)
})

test('some merchants trip a screen: repeats of a cent or less, payments to oneself, a round trip', async () => {
  const tiny = truth.payments.filter(({ amount }) => amount <= 10_000n)
  const pairs = Map.groupBy(tiny, ({ buyer, merchant }) => `${buyer} ${merchant}`)
  assert.ok([...pairs.values()].filter(({ length }) => length >= 100).length >= 2)
  assert.equal(truth.payments.filter(({ buyer, merchant }) => buyer === merchant).length, 40)
  const events = planWeek({ payments: 2600, seed: 1, endSeconds: 1_780_000_000 })
  const returned = new Map<string, bigint>()
  const paid = new Map<string, bigint>()
  for (const event of events) {
    const [from, to] = [event.from.address, event.to.address]
    const [sums, key] = event.kind === 'payment' ? [paid, `${from} ${to}`] : [returned, `${to} ${from}`]
    if (event.kind === 'payment' || event.kind === 'transfer')
      sums.set(key, (sums.get(key) ?? 0n) + event.amount)
  }
  const roundTrips = [...paid].filter(([key, amount]) => (returned.get(key) ?? 0n) * 2n >= amount)
  assert.equal(roundTrips.length, 1)
})

test('the same seed plans the same week, another seed a different one', () => {
  const endSeconds = 1_780_000_000
  const summary = (seed: number) =>
    planWeek({ payments: 2600, seed, endSeconds }).map(
      ({ atSeconds, kind, from, to, amount }) =>
        `${atSeconds} ${kind} ${from.address} ${to.address} ${amount}`,
    )
  assert.deepEqual(summary(1), summary(1))
  assert.notDeepEqual(summary(1), summary(2))
})

test('the first demo facilitator is that of the services, and only facilitators and payees submit', () => {
  const facilitators = createDemoFacilitators().map(({ address }) => address)
  assert.equal(facilitators[0], devFacilitatorAddress.toLowerCase())
  const known = new Set<string>(facilitators)
  for (const { path, sender, merchant } of truth.payments)
    assert.ok(path === 'receive' ? sender === merchant : known.has(sender))
})

test('the listed merchants are the ones that are paid, at prices above zero', () => {
  const items = buildDemoListings(new Date(0))
  const listed = new Set(items.flatMap(({ accepts }) => accepts.map(({ payTo }) => payTo.toLowerCase())))
  assert.equal(listed.size, 42)
  const merchants = new Set<string>(truth.merchants.keys())
  assert.deepEqual(
    [...listed].filter((payTo) => !merchants.has(payTo)),
    [],
  )
  assert.equal(new Set(items.map(({ resource }) => resource)).size, items.length)
  for (const { accepts, resource, description } of items) {
    assert.ok(new URL(resource).hostname.endsWith('.example'))
    assert.ok(description.length <= 240)
    for (const { amount, asset } of accepts) {
      assert.ok(BigInt(amount) > 0n)
      assert.equal(asset, BASE.usdc)
    }
  }
  // `receive` payments count only if their payee is listed.
  for (const { path, merchant } of truth.payments) if (path === 'receive') assert.ok(listed.has(merchant))
})
