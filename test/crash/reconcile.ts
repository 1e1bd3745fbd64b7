import { STREAMED } from './goods.ts'
import { type Purchase, readSaid } from './purchase.ts'
import type { Row } from './shop.ts'
import type { Transfer } from './transfers.ts'

/** All data at the end, from three sides: the callers, the seller's store, the chain. */
export type Books = {
  readonly purchases: readonly Purchase[]
  readonly rows: ReadonlyMap<string, Row>
  readonly runs: ReadonlyMap<string, readonly string[]>
  readonly transfers: readonly Transfer[]
}

/** Runs of a handler for one authorization; a paid stream runs again until it is delivered. */
const MAX_RUNS = { buffered: 3, streamed: 13 }

/** Compares what callers got with what the chain charged; returns each discrepancy in human-readable form. */
export function findViolations(books: Books): readonly string[] {
  const byNonce = Map.groupBy(books.transfers, ({ nonce }) => nonce?.toLowerCase() ?? 'none')
  const known = new Set(books.purchases.map(({ nonce }) => nonce.toLowerCase()))
  const strange = books.transfers.filter(({ nonce }) => !known.has(nonce?.toLowerCase() ?? 'none'))
  return [
    ...strange.map(({ transaction }) => `a transfer that no call explains: ${transaction}`),
    ...books.purchases.flatMap((purchase) => {
      const nonce = purchase.nonce.toLowerCase()
      const found = [
        ...judgeMoney(purchase, byNonce.get(nonce) ?? []),
        ...judgeRuns(purchase, books.runs.get(purchase.id) ?? [], books.rows.get(nonce)),
        ...judgeRow(purchase, books.rows.get(nonce), byNonce.get(nonce)?.[0]),
      ]
      return found.map((words) => `${words}: ${describe(purchase, books)}`)
    }),
  ]
}

function judgeMoney(purchase: Purchase, transfers: readonly Transfer[]): string[] {
  const [transfer] = transfers
  const { answer, price, payer } = purchase
  const found: string[] = []
  if (transfers.length > 1) found.push('charged twice')
  if (transfer && !answer) found.push('charged without an answer')
  // The seller, not the caller, loses the pieces of a stream that were delivered before they were first
  // recorded.
  const isGift = purchase.good === 'dictation' && purchase.refusal !== null
  if (answer && !transfer && !isGift) found.push('answered without a charge')
  if (transfer && (transfer.amount < price.min || transfer.amount > price.max)) found.push('charged wrongly')
  if (transfer && transfer.payer !== payer) found.push('someone else was charged')
  const receipt = answer?.receipt
  if (receipt && (receipt.transaction !== transfer?.transaction || receipt.amount !== transfer.amount))
    found.push('the receipt names another charge')
  return found
}

function judgeRuns(purchase: Purchase, runs: readonly string[], row: Row | undefined): string[] {
  const { answer, runsWhenStored, id } = purchase
  const isStreamed = STREAMED.has(purchase.good)
  const said = answer && readSaid(answer.text)
  const found: string[] = []
  if (runs.length > (isStreamed ? MAX_RUNS.streamed : MAX_RUNS.buffered)) found.push('run too often')
  if (row && runs.length > row.runs) found.push('run more often than the ledger says')
  if (answer && said?.call !== id) found.push('answered with another call’s answer')
  if (isStreamed) return found
  if (answer && said?.run !== runs.at(-1)) found.push('run again after its answer')
  if (runsWhenStored !== null && runs.length !== runsWhenStored)
    found.push('run again after its answer was stored')
  return found
}

function judgeRow(purchase: Purchase, row: Row | undefined, transfer: Transfer | undefined): string[] {
  if (!row) return purchase.answer ? ['answered without a row'] : []
  const isSettled = row.state === 'settled' || row.state === 'settled-unfinished'
  if (purchase.isEnding && row.state === 'unknown') return transfer ? ['charged in doubt'] : []
  if (!isSettled && row.state !== 'released') return [`left in ${row.state}`]
  // A caller may read the whole stream without receiving its final comment.
  if (row.state === 'settled-unfinished' && !purchase.answer) return ['left unfinished']
  if (isSettled !== (transfer !== undefined)) return [`the ledger says ${row.state}, the chain does not`]
  if (!isSettled || !transfer) return []
  const isRight = row.transaction === transfer.transaction && BigInt(row.charge ?? 0) === transfer.amount
  return isRight ? [] : ['the ledger names another charge']
}

/** Summary of one call, in one line. */
export function describe(purchase: Purchase, { rows, runs }: Pick<Books, 'rows' | 'runs'>): string {
  const row = rows.get(purchase.nonce.toLowerCase())
  const words = purchase.outcomes.map((outcome) =>
    outcome.kind === 'refused' ? `${outcome.status} ${outcome.code}` : outcome.kind,
  )
  const outcomes = words.filter((word, at) => word !== words[at - 1])
  return JSON.stringify({
    call: purchase.id,
    path: purchase.path,
    outcomes,
    deaths: purchase.deaths,
    runs: runs.get(purchase.id) ?? [],
    runsWhenStored: purchase.runsWhenStored,
    row: row ?? null,
  })
}

/** How many calls of each kind were open in each state when a seller was killed. */
export function countDeaths(purchases: readonly Purchase[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const { deaths } of purchases) for (const state of deaths) counts[state] = (counts[state] ?? 0) + 1
  return counts
}
