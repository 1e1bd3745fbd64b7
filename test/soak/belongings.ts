import type { Random } from '@tollbook/devchain/demo-week/random'
import type { Payer } from '@tollbook/testing/payments/sign-payment'
import type { Errand } from './errands.ts'

/** Tracks what wallets have stored, according to the answers, so that later calls name existing items. */
export type Belongings = {
  /** The wallet that makes a call, and the call as that wallet makes it. */
  assign(errand: Errand, random: Random): { readonly payer: Payer; readonly errand: Errand }
}

/**
 * Share of calls that read or change a wallet's own items; the others may name missing items and receive a
 * 404.
 */
const KNOWING = 0.9
const OF_PADS = new Set(['scratchpad.get', 'scratchpad.delete'])
const OF_COLLECTIONS = new Set(['store.query', 'store.delete'])
const OF_ROWS = new Set(['store.row.get', 'store.row.patch', 'store.row.put', 'store.row.delete'])

/** Whether a call names an item that another call may delete. */
export function namesItem(endpointId: string): boolean {
  return [OF_PADS, OF_COLLECTIONS, OF_ROWS].some((ids) => ids.has(endpointId))
}

/** Starts with wallets that have nothing. */
export function createBelongings(payers: readonly Payer[]): Belongings {
  const pads = new Set<Payer>()
  /** IDs of the rows of the collection that the examples name. */
  const rows = new Map<Payer, number[]>()

  function choose(errand: Errand, random: Random): Payer {
    const owners = OF_PADS.has(errand.endpointId)
      ? [...pads]
      : OF_ROWS.has(errand.endpointId) || OF_COLLECTIONS.has(errand.endpointId)
        ? [...rows.keys()]
        : []
    const choices = owners.length > 0 && random() < KNOWING ? owners : payers
    const payer = choices[Math.floor(random() * choices.length)]
    if (!payer) throw new Error('nobody buys')
    return payer
  }

  /** No other call names an item that is about to be deleted. */
  function giveUp(endpointId: string, payer: Payer): void {
    if (endpointId === 'scratchpad.delete') pads.delete(payer)
    if (endpointId === 'store.delete') rows.delete(payer)
    const left = endpointId === 'store.row.delete' ? rows.get(payer)?.slice(0, -1) : undefined
    if (left?.length === 0) rows.delete(payer)
    else if (left) rows.set(payer, left)
  }

  function keep(endpointId: string, payer: Payer, answer: string): void {
    if (endpointId === 'scratchpad.put' || endpointId === 'scratchpad.post') pads.add(payer)
    if (endpointId !== 'store.append') return
    const { ids } = JSON.parse(answer) as { readonly ids: readonly number[] }
    rows.set(payer, [...(rows.get(payer) ?? []), ...ids])
  }

  return {
    assign(errand, random) {
      const payer = choose(errand, random)
      const id = OF_ROWS.has(errand.endpointId) ? rows.get(payer)?.at(-1) : undefined
      giveUp(errand.endpointId, payer)
      const own: Errand = {
        ...errand,
        request: () => errand.request(id === undefined ? {} : { id }),
        onAnswer: (answer) => keep(errand.endpointId, payer, answer),
      }
      return { payer, errand: own }
    },
  }
}
