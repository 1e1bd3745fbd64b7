import { type TestContext, test } from 'node:test'
import type { Hex } from '@tollbook/chain/hex'
import { type Ledger, openLedger } from '@tollbook/report/ledger/ledger'
import { startClickhouse, whyNoClickhouse } from './clickhouse.ts'
import { openTestLedger, randomChain, testLedgerUrl } from './open-test-ledger.ts'

/** Where a test stores ledgers. */
export type LedgerPlace = {
  readonly url: string
  readonly isCluster: boolean
  /** Opens the ledger of a chain, by default one that no other test uses; it is closed when the test ends. */
  open(chain?: Hex): Promise<Ledger>
}

let clickhouse: Promise<string> | undefined

/**
 * Runs a test twice: on DuckDB, and on a ClickHouse cluster of two shards where a server is installed.
 * @example
 * onEveryLedger('a payment is found again', async ({ open }) => { const ledger = await open() … })
 */
export function onEveryLedger(
  name: string,
  work: (place: LedgerPlace, t: TestContext) => Promise<void>,
): void {
  test(`${name} (duckdb)`, (t) => work({ url: testLedgerUrl(), isCluster: false, open: openTestLedger }, t))
  test(`${name} (clickhouse cluster)`, { skip: whyNoClickhouse() ?? false }, async (t) => {
    clickhouse ??= startClickhouse()
    const url = await clickhouse
    const open = async (chain = randomChain()) => {
      const ledger = await openLedger(url, chain)
      t.after(() => ledger.close())
      return ledger
    }
    await work({ url, isCluster: true, open }, t)
  })
}
