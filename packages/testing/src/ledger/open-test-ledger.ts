import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Hex } from '@tollbook/chain/hex'
import { type Ledger, openLedger } from '@tollbook/report/ledger/ledger'

let folder: string | undefined

/** A ledger on DuckDB of a chain that no other test uses. Its folder is deleted when the process ends. */
export function openTestLedger(chain: Hex = randomChain()): Promise<Ledger> {
  return openLedger(testLedgerUrl(), chain)
}

export function testLedgerUrl(): string {
  if (folder === undefined) {
    const made = mkdtempSync(join(tmpdir(), 'tollbook-ledger-'))
    process.once('exit', () => rmSync(made, { recursive: true, force: true }))
    folder = made
  }
  return `duckdb:${folder}`
}

/** A hash in place of a chain's genesis. */
export function randomChain(): Hex {
  return `0x${randomBytes(32).toString('hex')}`
}
