import type { Address } from '@tollbook/chain/hex'
import { type AtomicUsdc, formatUsd } from '@tollbook/chain/usdc'
import { type EndpointSales, readSales } from '@tollbook/gate/calls/sales'
import type { GasLeft } from '@tollbook/gate/facilitator'
import { LOW_GAS_SETTLEMENTS } from '@tollbook/gate/facilitator'
import type { State } from '@tollbook/gate/state/state'
import type { Page } from '@tollbook/http/page'
import { ProblemError } from '@tollbook/http/problem'
import type { KeyAccess } from '@tollbook/http/request/key-access'
import * as z from 'zod'

export const OPERATOR_SUMMARY_PATH = '/operator/summary.json'

const DAY_MS = 24 * 60 * 60_000
const DEFAULT_DAYS = 7
const MAX_DAYS = 366

const day = z.iso.date().transform((text) => new Date(`${text}T00:00:00.000Z`))
const period = z.object({ from: day.optional(), to: day.optional() })

/**
 * `GET /operator/summary.json?from=2026-11-01&to=2026-12-01`: what a service earned in these UTC days (`to` excluded;
 * default the last seven days until now), what the gas of its settlements cost, and what it is still owed. Needs
 * `Authorization: Bearer` with the operator's key.
 */
export function createOperatorSummary(options: {
  readonly service: string
  readonly payTo: Address
  readonly operator: KeyAccess
  readonly state: State
  readonly gasLeft: () => readonly GasLeft[]
  readonly clock?: () => Date
}): Page {
  const { service, payTo, operator, state, gasLeft, clock = () => new Date() } = options
  return async (request) => {
    operator.require({
      authorization: request.headers.get('authorization'),
      clientAddress: request.clientAddress,
    })
    const { from, to } = readPeriod(request.url, clock())
    const sales = await readSales(state, { service, payTo, from, to })
    const summary = {
      service,
      from: from.toISOString(),
      to: to.toISOString(),
      ...totalOf(sales.endpoints),
      endpoints: sales.endpoints.map(({ endpoint, scheme, ...figures }) => ({
        endpoint,
        scheme,
        ...totalOf([figures]),
      })),
      open: { calls: sales.open.calls, maxUsd: formatUsd(sales.open.amount) },
      unclaimed: { channels: sales.unclaimed.channels, usd: formatUsd(sales.unclaimed.amount) },
      wallets: gasLeft().map(({ address, settlements }) => ({
        address,
        settlementsLeft: Number(settlements),
        isLow: settlements < LOW_GAS_SETTLEMENTS,
      })),
    }
    return Response.json(summary, { headers: { 'cache-control': 'no-store' } })
  }
}

function totalOf(sales: readonly Omit<EndpointSales, 'endpoint' | 'scheme'>[]) {
  const sum = (read: (item: (typeof sales)[number]) => AtomicUsdc) =>
    sales.reduce((total, item) => total + read(item), 0n)
  const revenue = sum((item) => item.revenue)
  const gasCost = sum((item) => item.gasCost)
  return {
    calls: Number(sum(({ calls }) => BigInt(calls))),
    revenueUsd: formatUsd(revenue),
    gasCostUsd: formatUsd(gasCost),
    marginUsd: formatUsd(revenue - gasCost),
    callsWithoutCost: Number(sum(({ callsWithoutCost }) => BigInt(callsWithoutCost))),
  }
}

/** @throws ProblemError if a date is wrong, or the period is empty or longer than 366 days. */
function readPeriod(url: URL, now: Date): { readonly from: Date; readonly to: Date } {
  const parsed = period.safeParse(Object.fromEntries(url.searchParams))
  if (!parsed.success)
    throw invalid(parsed.error.issues[0]?.path.join('.') ?? 'from', 'must be a date such as 2026-11-23')
  const to = parsed.data.to ?? now
  const from = parsed.data.from ?? new Date(to.getTime() - DEFAULT_DAYS * DAY_MS)
  const days = (to.getTime() - from.getTime()) / DAY_MS
  if (days <= 0) throw invalid('to', 'must be later than from')
  if (days > MAX_DAYS) throw invalid('from', `must be at most ${MAX_DAYS} days before to`)
  return { from, to }
}

function invalid(parameter: string, detail: string): ProblemError {
  const issues = [{ parameter, detail }]
  return new ProblemError({ code: 'invalid_request', detail: `${parameter} ${detail}.`, issues })
}
