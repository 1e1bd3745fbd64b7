import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { migrateState } from '@tollbook/cli/commands/migrations/migrate-state'
import { openState } from '@tollbook/cli/commands/state/open'
import type { GateLimits } from '@tollbook/gate/gate/gate-options'
import type { CallState } from '@tollbook/gate/state/payment-tables'
import { sql } from 'kysely'
import type { Market } from './market.ts'
import { createRunLog, readRunLog } from './run-log.ts'
import { SELLERS_LOG, type Seller, startSeller } from './seller.ts'

/**
 * The environment of sellers that replace one another: their store, their folder, and an outside view of
 * both.
 */
export type Shop = {
  readonly baseUrl: string
  /** Holds the sellers' data and log. */
  readonly folder: string
  /** @param onRun called with every run of a handler. */
  startSeller(onRun?: (call: string) => void): Seller
  /** The ledger's row of every call, by the nonce of its authorization. */
  readRows(): Promise<ReadonlyMap<string, Row>>
  /** Rows of the collection `log` that are stored. */
  countStored(): Promise<number>
  /** Makes a payer one that has settled many metered calls, so that no content is withheld from it. */
  makeRegular(payer: string): Promise<void>
  /** The runs of every call's handler. */
  readRuns(): ReadonlyMap<string, readonly string[]>
  /** The end of all sellers' log. */
  readLog(): string
  /** Resolves when the store has no work left for a dead seller. */
  atRest(): Promise<void>
  close(options?: { readonly keepsFolder: boolean }): Promise<void>
}

export type Row = {
  readonly state: CallState
  /** Micro-USDC. */
  readonly charge: number | null
  readonly transaction: string | null
  /** Whether an answer is stored. */
  readonly isStored: boolean
  readonly runs: number
  readonly owner: string | null
}

/** A thirtieth of a real seller's, so that recovery happens soon. */
const LIMITS: Partial<GateLimits> = { heartbeatMs: 100, resendAfterMs: 500 }
const LEASE_MS = 500
const NONCE_LEASE_MS = 500
/** Characters of the sellers' log that a failure shows. */
const MAX_LOG = 8_000
/** The name by which the database distinguishes our own connections from the sellers'. */
const OBSERVER = 'crash-observer'

/**
 * @param stateUrl absent: an SQLite file in the shop's folder.
 * @param facilitatorUrl absent: each seller settles itself.
 * @param leaseMs time after which another seller takes over the calls of one that does not report, ms.
 */
export async function openShop(
  { proxy, compileCache }: Market,
  stateUrl?: string,
  facilitatorUrl?: string,
  leaseMs = LEASE_MS,
): Promise<Shop> {
  const folder = mkdtempSync(join(tmpdir(), 'tollbook-crash-'))
  const dataDir = join(folder, 'data')
  mkdirSync(dataDir)
  createRunLog(dataDir)
  const url = stateUrl ?? `sqlite:${join(dataDir, 'state.sqlite')}`
  const state = await openState(stateUrl === undefined ? url : withName(url))
  await migrateState(state)
  const baseUrl = 'https://goods.example'

  async function countBusy(): Promise<number> {
    if (state.kind === 'sqlite') return 0
    // A statement of a dead process continues until its connection is found broken.
    const { rows } = await sql<{ busy: number }>`
      select count(*) as busy from pg_stat_activity
      where datname = current_database() and application_name <> ${OBSERVER} and state <> 'idle'`.execute(
      state.db,
    )
    return rows[0]?.busy ?? 0
  }

  return {
    baseUrl,
    folder,
    startSeller: (onRun = () => {}) =>
      startSeller(
        {
          dataDir,
          stateUrl: url,
          rpcUrl: proxy.url,
          baseUrl,
          limits: { ...LIMITS, leaseMs },
          nonceLeaseMs: NONCE_LEASE_MS,
          ...(facilitatorUrl && { facilitatorUrl }),
        },
        { compileCache, onRun },
      ),
    readRows: async () => {
      const rows = await state.db
        .selectFrom('paid_call')
        .select(['nonce', 'state', 'charge', 'tx_hash', 'answer_status', 'runs', 'owner'])
        .execute()
      return new Map(
        rows.map(({ nonce, tx_hash, answer_status, ...row }) => [
          nonce.toLowerCase(),
          { ...row, transaction: tx_hash, isStored: answer_status !== null },
        ]),
      )
    },
    countStored: async () => (await state.db.selectFrom('collection_row').select('body').execute()).length,
    makeRegular: async (payer) => {
      const values = { payer: payer.toLowerCase(), amount: 500_000, changed_at: Date.now() }
      await state.db.insertInto('live_allowance').values(values).execute()
    },
    readRuns: () => readRunLog(dataDir),
    readLog: () => {
      const log = join(dataDir, SELLERS_LOG)
      return existsSync(log) ? readFileSync(log, 'utf8').slice(-MAX_LOG) : ''
    },
    atRest: async () => {
      while ((await countBusy()) > 0) await wait(2)
    },
    close: async ({ keepsFolder } = { keepsFolder: false }) => {
      await state.close()
      if (!keepsFolder) rmSync(folder, { recursive: true, force: true })
    },
  }
}

function withName(url: string): string {
  const named = new URL(url)
  named.searchParams.set('application_name', OBSERVER)
  return named.href
}
