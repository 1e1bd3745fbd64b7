import type { DemoEvent, PaymentPath } from './demo-event.ts'
import { type Flow, loadFlows, pick, rangeOf } from './flows.ts'
import { createRandom, type Random } from './random.ts'
import { sampleTime, WEEK_SECONDS } from './sample-time.ts'

export type PlanOptions = {
  /** Approximate number of payments, at least 2,000 so that every screen trips. */
  readonly payments: number
  readonly seed: number
  /** Epoch second of the last block; the first is seven days earlier. */
  readonly endSeconds: number
}

/** A batch is settled every two hours, so that it contains several payments. */
const BATCH_SECONDS = 7200
/** Minimum number of payments of a flow when the day is scaled down. */
const MIN_PAYMENTS = 3

const SELF_PAYER = { merchantRank: 6, payments: 40, amount: 50_000n } as const
const RECEIVER = { merchantRank: 8, payments: 12, amount: 12_000n } as const
/** Index of the flow of a merchant with one buyer, to whom it returns most of the money. */
const ROUND_TRIP_FLOW = 24
const RETURNS = 4
const RETURNED_PERCENT = 80n
/** A return comes this long after the payments it returns, hence in a later block. */
const RETURN_DELAY_SECONDS = 3600
const PLAIN_TRANSFERS = 25
const GASLESS_TRANSFERS = 10
const REFUSED = 6

/** Plans the week. The same options produce the same week; amounts and wallets depend only on the seed. */
export function planWeek(options: PlanOptions): readonly DemoEvent[] {
  const flows = loadFlows()
  const extra = SELF_PAYER.payments + RECEIVER.payments
  const scale = (options.payments - extra) / flows.reduce((sum, flow) => sum + flow.payments, 0)
  const paid = flows.flatMap((flow, index) =>
    planFlow(flow, { index, path: toPath(flow, flows), scale, options }),
  )
  const random = createRandom(options.seed ^ 0x5eed)
  return [
    ...paid,
    ...planSpecialMerchants(flows, { random, options }),
    ...planReturns(paid, flows[ROUND_TRIP_FLOW], options.endSeconds),
    ...planOtherTransfers(flows, { random, options }),
  ].toSorted((a, b) => a.atSeconds - b.atSeconds)
}

type FlowPlan = {
  readonly index: number
  readonly path: PaymentPath
  readonly scale: number
  readonly options: PlanOptions
}

function planFlow(flow: Flow, { index, path, scale, options }: FlowPlan): readonly DemoEvent[] {
  const amounts = createRandom(options.seed * 1000 + index)
  const times = createRandom(options.seed * 1000 + index + 500)
  const latest = options.endSeconds - (index === ROUND_TRIP_FLOW ? 2 * RETURN_DELAY_SECONDS : 0)
  const count = Math.max(MIN_PAYMENTS, Math.round(flow.payments * scale))
  return Array.from({ length: count }, () => {
    const sampled = Math.min(sampleTime(times, options.endSeconds), latest)
    const wait = path === 'batch' ? (options.endSeconds - sampled) % BATCH_SECONDS : 0
    const amount = sampleAmount(flow, amounts)
    const { buyer: from, merchant: to, facilitator: sender } = flow
    return { kind: 'payment', path, from, to, amount, sender, atSeconds: sampled + wait }
  })
}

/**
 * Some buyers of a metered merchant sign a permit with each payment. A permit overwrites the allowance and
 * has a counter, so this only works for buyers with a single merchant, independent of the transaction order
 * within a block.
 */
function toPath(flow: Flow, flows: readonly Flow[]): PaymentPath {
  const merchants = flows.filter(({ buyer }) => buyer === flow.buyer).length
  return flow.path === 'upto' && merchants === 1 && flows.indexOf(flow) % 2 === 0 ? 'upto-permit' : flow.path
}

function sampleAmount(flow: Flow, random: Random): bigint {
  const { min, max } = rangeOf(flow)
  return BigInt(Math.max(1, Math.round(min === max ? min : min + (max - min) * random())))
}

type ExtraPlan = {
  readonly random: Random
  readonly options: PlanOptions
}

function planSpecialMerchants(flows: readonly Flow[], plan: ExtraPlan): readonly DemoEvent[] {
  const { random, options } = plan
  const flowOf = (rank: number) => flows.filter(({ merchantRank }) => merchantRank === rank)
  const atSeconds = () => sampleTime(random, options.endSeconds)
  const selfPaid = flowOf(SELF_PAYER.merchantRank).slice(0, 1)
  const received = flowOf(RECEIVER.merchantRank).slice(0, 1)
  return [
    ...selfPaid.flatMap(({ merchant, facilitator: sender }) =>
      Array.from({ length: SELF_PAYER.payments }, (): DemoEvent => {
        const passing = { from: merchant, to: merchant, amount: SELF_PAYER.amount, atSeconds: atSeconds() }
        return { kind: 'payment', path: 'bytes', ...passing, sender }
      }),
    ),
    ...received.flatMap(({ buyer, merchant }) =>
      Array.from({ length: RECEIVER.payments }, (): DemoEvent => {
        const passing = { from: buyer, to: merchant, amount: RECEIVER.amount, atSeconds: atSeconds() }
        return { kind: 'payment', path: 'receive', ...passing, sender: merchant }
      }),
    ),
  ]
}

/** A few times a week the merchant returns most of what it has earned since the last time. */
function planReturns(paid: readonly DemoEvent[], flow: Flow | undefined, endSeconds: number): DemoEvent[] {
  const startSeconds = endSeconds - WEEK_SECONDS
  return Array.from({ length: RETURNS }, (_, index): DemoEvent[] => {
    const [from, until] = [index, index + 1].map((part) => startSeconds + (WEEK_SECONDS * part) / RETURNS)
    if (!flow || from === undefined || until === undefined) return []
    const isSince = ({ atSeconds }: DemoEvent) =>
      atSeconds > from - RETURN_DELAY_SECONDS && atSeconds <= until - RETURN_DELAY_SECONDS
    const earned = paid
      .filter((event) => event.to === flow.merchant && isSince(event))
      .reduce((sum, { amount }) => sum + amount, 0n)
    const amount = (earned * RETURNED_PERCENT) / 100n
    const passing = { from: flow.merchant, to: flow.buyer, amount, atSeconds: Math.floor(until) }
    return amount > 0n ? [{ kind: 'transfer', ...passing }] : []
  }).flat()
}

function planOtherTransfers(flows: readonly Flow[], { random, options }: ExtraPlan): DemoEvent[] {
  const anyOf = <T>(list: readonly T[]) => pick(list, Math.floor(random() * list.length))
  const any = () => anyOf(flows)
  const merchants = new Set(flows.map(({ merchant }) => merchant))
  const people = flows.map(({ buyer }) => buyer).filter((buyer) => !merchants.has(buyer))
  const person = () => anyOf(people)
  const next = () => ({
    amount: BigInt(1 + Math.floor(random() * 5)) * 1_000_000n,
    atSeconds: sampleTime(random, options.endSeconds),
  })
  const times = (length: number, toEvent: () => DemoEvent) => Array.from({ length }, toEvent)
  return [
    ...times(PLAIN_TRANSFERS, () => {
      const { buyer: from, merchant: to } = any()
      return { kind: 'transfer', from, to, ...next() }
    }),
    ...times(GASLESS_TRANSFERS, () => {
      const [from, to, sender] = [person(), person(), person()]
      return { kind: 'gasless', from, to, sender, ...next() }
    }),
    ...times(REFUSED, () => {
      const { buyer: from, merchant: to, facilitator: sender } = any()
      return { kind: 'refused', from, to, ...next(), sender }
    }),
  ]
}
