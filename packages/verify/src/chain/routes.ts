import type { Address, Hex } from '@tollbook/chain/hex'
import { addressOf } from '@tollbook/chain/words'
import type { Log } from './log.ts'

/** Contracts that pass payments on, or hold them for others. */
export type Intermediaries = {
  /** What they receive is a refundable deposit, see `PaymentContracts`. */
  readonly custodians: ReadonlySet<Address>
  /** Known routers: the facilitators. They pass on whatever share they like. */
  readonly routers: ReadonlySet<Address>
}

/** A router may pass on over another, and that one over a third. */
const MAX_HOPS = 3
/** An unknown recipient that passes on at least this share within the transaction is a router. */
const MIN_FORWARDED_PERCENT = 90n

type Transfer = Log & { readonly kind: 'transfer' }
export type Destination = {
  readonly transfer: Transfer
  readonly isRouted: boolean
  /** Its share, by what it received, of what the routers kept. */
  readonly fee: bigint
}
type Step = { readonly at: number; readonly transfer: Transfer }

/**
 * Follows payments through routers, which pass them on in the same transaction without an authorization. The
 * last recipients are merchants; what goes back to the payer is change. A transfer with evidence is on no
 * route.
 */
export function createRoutes(
  logs: readonly Log[],
  evidence: readonly number[],
  { custodians, routers }: Intermediaries,
) {
  /** Transfers that may pass a payment on, in chain order. */
  const loose: Step[] = []
  for (const [at, log] of logs.entries())
    if (log.kind === 'transfer' && log.amount > 0n && evidence[at] === 0) loose.push({ at, transfer: log })
  const used = new Set<number>()

  /** The last transfers of what a transfer brought, change to the payer included; null if its payee, or an escrow, kept it. */
  function follow({ at, transfer }: Step, payer: Hex, hops: number): readonly Step[] | null {
    if (hops === 0 || transfer.payee === payer || custodians.has(addressOf(transfer.payee))) return null
    const passed: Step[] = []
    let sum = 0n
    for (const next of loose) {
      if (next.at <= at || used.has(next.at) || next.transfer.payer !== transfer.payee) continue
      if (sum + next.transfer.amount > transfer.amount) break
      passed.push(next)
      sum += next.transfer.amount
    }
    const isRouter = routers.has(addressOf(transfer.payee))
    const isEnough = isRouter || 100n * sum >= MIN_FORWARDED_PERCENT * transfer.amount
    if (passed.length === 0 || !isEnough) return null
    for (const step of passed) used.add(step.at)
    return passed.flatMap((step) => follow(step, payer, hops - 1) ?? [step])
  }

  return {
    /** @returns the transfers to the merchants of the payment at a place; none if it is a deposit. */
    destinationsOf(at: number): readonly Destination[] {
      const transfer = logs[at]
      if (transfer?.kind !== 'transfer') return []
      const last = follow({ at, transfer }, transfer.payer, MAX_HOPS)
      const ends = last?.filter((end) => end.transfer.payee !== transfer.payer) ?? []
      // Money that all went back to the payer was paid to nobody else; the screens judge such a payment.
      if (ends.length === 0) return [{ transfer, isRouted: false, fee: 0n }]
      if (ends.some((end) => custodians.has(addressOf(end.transfer.payee)))) return []
      const sumOf = (steps: readonly Step[]) => steps.reduce((sum, step) => sum + step.transfer.amount, 0n)
      const received = sumOf(ends)
      const retained = transfer.amount - sumOf(last ?? [])
      // Differences of running sums, so the shares add up to what was kept.
      let running = 0n
      return ends.map((end) => {
        const before = (retained * running) / received
        running += end.transfer.amount
        return { transfer: end.transfer, isRouted: true, fee: (retained * running) / received - before }
      })
    },
  }
}
