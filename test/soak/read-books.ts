import { setTimeout as wait } from 'node:timers/promises'
import { devPayTo } from '@tollbook/chain/dev-accounts'
import { openState } from '@tollbook/cli/commands/state/open'
import type { EvidenceLine } from '@tollbook/report/evidence/evidence-stream'
import type { MerchantReport } from '@tollbook/verify/build/merchant-report'
import type { Hex } from 'viem'
import { readTransfers, type Transfer } from '../crash/transfers.ts'
import type { Books } from './balance.ts'
import type { Purchase } from './purchase.ts'
import type { Town } from './town.ts'

/**
 * Two blocks, one indexing and one publication, after the last call or the last report with more payments.
 */
const REPORTED_WITHIN_MS = 120_000

/** Number of the newest block. */
export async function readHead({ market }: Town): Promise<number> {
  return Number(await market.chain.rpc.call<Hex>('eth_blockNumber', []))
}

/**
 * The payments since a block according to callers, ledger, chain and published reports; waits until the
 * reports have as many as the chain, or clearly never will.
 */
export async function readBooks(
  town: Town,
  { fromBlock, purchases }: { readonly fromBlock: number; readonly purchases: readonly Purchase[] },
): Promise<Books> {
  const transfers = await readAllTransfers(town, fromBlock)
  const reported = await awaitReports(town, transfers)
  return { purchases, transfers, reported, charges: await readCharges(town) }
}

async function readAllTransfers({ market }: Town, fromBlock: number): Promise<readonly Transfer[]> {
  const wallets = Object.values(devPayTo)
  const read = await Promise.all(wallets.map((wallet) => readTransfers(market.chain.rpc, wallet, fromBlock)))
  return read.flat()
}

/** The payments in the published reports of the sellers, once they are as many as the chain has. */
async function awaitReports(
  { reportUrl }: Town,
  transfers: readonly Transfer[],
): Promise<readonly EvidenceLine[]> {
  const places = Object.values(devPayTo).map(
    (wallet) => `${reportUrl}/merchants/base/${wallet.toLowerCase()}`,
  )
  let untilMs = performance.now() + REPORTED_WITHIN_MS
  let max = 0
  for (;;) {
    const counts = await Promise.all(places.map(countPayments))
    const told = counts.reduce((sum, count) => sum + count, 0)
    const isOver = performance.now() > untilMs
    if (told === transfers.length || isOver) {
      const lines = (await Promise.all(places.map(readEvidence))).flat()
      if (lines.length === transfers.length || isOver) return lines
    }
    if (told > max) untilMs = performance.now() + REPORTED_WITHIN_MS
    max = Math.max(max, told)
    await wait(1_000)
  }
}

async function countPayments(place: string): Promise<number> {
  const report = await fetch(`${place}.json`)
  const text = await report.text()
  return report.ok ? (JSON.parse(text) as MerchantReport).tx : 0
}

async function readEvidence(place: string): Promise<readonly EvidenceLine[]> {
  const evidence = await fetch(`${place}/payments.ndjson`)
  const text = await evidence.text()
  if (!evidence.ok) return []
  return text.split('\n').flatMap((line) => (line ? [JSON.parse(line) as EvidenceLine] : []))
}

async function readCharges({ stateUrl }: Town) {
  const state = await openState(stateUrl)
  try {
    const rows = await state.db.selectFrom('paid_call').select(['nonce', 'state', 'charge']).execute()
    return new Map(
      rows.map((row) => [row.nonce.toLowerCase(), { state: row.state, charge: BigInt(row.charge ?? 0) }]),
    )
  } finally {
    await state.close()
  }
}
