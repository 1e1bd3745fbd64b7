import type { Address } from '@tollbook/chain/hex'
import type { AtomicUsdc } from '@tollbook/chain/usdc'
import { sql } from 'kysely'
import type { PaidCallTable } from '../state/payment-tables.ts'
import type { State } from '../state/state.ts'

/** Settled calls of one endpoint by one scheme; money in micro-USDC. */
export type EndpointSales = {
  readonly endpoint: string
  readonly scheme: PaidCallTable['scheme']
  readonly calls: number
  readonly revenue: AtomicUsdc
  /** Gas of the settlements whose cost is known. */
  readonly gasCost: AtomicUsdc
  /** Calls without a known cost: paid by voucher, settled by a remote facilitator, or found on the chain. */
  readonly callsWithoutCost: number
}

/** What a service sold in [from, to), and what it is still owed now. */
export type Sales = {
  readonly endpoints: readonly EndpointSales[]
  /** Calls that are running or not settled yet, and the most that they may bring. */
  readonly open: { readonly calls: number; readonly amount: AtomicUsdc }
  /** Payment channels of the payee with vouchers that have not been redeemed. */
  readonly unclaimed: { readonly channels: number; readonly amount: AtomicUsdc }
}

export async function readSales(
  { db }: State,
  period: { readonly service: string; readonly payTo: Address; readonly from: Date; readonly to: Date },
): Promise<Sales> {
  const { service, payTo, from, to } = period
  const [rows, open, unclaimed] = await Promise.all([
    db
      .selectFrom('paid_call')
      .select(['endpoint', 'scheme', sql<number>`count(*)`.as('calls')])
      .select(sql<number>`cast(sum(charge) as bigint)`.as('revenue'))
      .select(sql<number>`cast(coalesce(sum(gas_cost), 0) as bigint)`.as('gas_cost'))
      .select(sql<number>`cast(sum(case when gas_cost is null then 1 else 0 end) as bigint)`.as('unknown'))
      .where('service', '=', service)
      .where('settled_at', '>=', from.getTime())
      .where('settled_at', '<', to.getTime())
      .groupBy(['endpoint', 'scheme'])
      .orderBy('revenue', 'desc')
      .orderBy('endpoint')
      .orderBy('scheme')
      .execute(),
    db
      .selectFrom('paid_call')
      .select(sql<number>`count(*)`.as('calls'))
      .select(sql<number>`cast(coalesce(sum(coalesce(charge, signed_amount)), 0) as bigint)`.as('amount'))
      .where(sql<boolean>`is_open = 1`)
      .where('service', '=', service)
      .executeTakeFirstOrThrow(),
    db
      .selectFrom('payment_channel')
      .select(sql<number>`count(*)`.as('channels'))
      .select(sql<number>`cast(coalesce(sum(charged - claimed), 0) as bigint)`.as('amount'))
      .where('receiver', '=', payTo.toLowerCase())
      .whereRef('charged', '>', 'claimed')
      .executeTakeFirstOrThrow(),
  ])
  return {
    endpoints: rows.map(({ endpoint, scheme, calls, revenue, gas_cost, unknown }) => ({
      endpoint,
      scheme,
      calls: Number(calls),
      revenue: BigInt(revenue),
      gasCost: BigInt(gas_cost),
      callsWithoutCost: Number(unknown),
    })),
    open: { calls: Number(open.calls), amount: BigInt(open.amount) },
    unclaimed: { channels: Number(unclaimed.channels), amount: BigInt(unclaimed.amount) },
  }
}
