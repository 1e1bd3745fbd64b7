import { measureLedger } from '../growth/measure-ledger.ts'
import { fillWeeks, type Weeks } from '../growth/synthetic-year.ts'

/** Either fills a ledger or measures one, in a process of its own, so that its memory is that of the work alone. */
export type LedgerOrder = { readonly url: string } & (
  | { readonly fill: Weeks }
  | { readonly measure: { readonly weeks: number } }
)

// Written by `bench/growth.ts`.
const order = JSON.parse(process.argv[2] ?? '{}') as LedgerOrder
if ('fill' in order) {
  await fillWeeks(order.url, order.fill)
  process.send?.(null)
} else process.send?.(await measureLedger(order.url, order.measure.weeks))
process.disconnect?.()
