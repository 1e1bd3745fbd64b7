import type { Address, Hex } from '@tollbook/chain/hex'
import type { AtomicUsdc } from '@tollbook/chain/usdc'
import { ProblemError } from '@tollbook/http/problem'
import type { Kysely, Selectable } from 'kysely'
import type { State } from '../state/state.ts'
import type { Tables } from '../state/tables.ts'

/** A text that a wallet signed and the service accepted. */
export type Claim = {
  readonly address: Address
  /** 1 for the wallet's first accepted text, incremented by each further one. */
  readonly version: number
  readonly action: 'claim' | 'withdraw'
  /** The signed text (EIP-4361), byte for byte. */
  readonly message: string
  readonly signature: Hex
  /** At most 500 code points without control or direction marks; escape before rendering. */
  readonly statement: string | null
  /** Wallets that the merchant declares as its own, too. */
  readonly disclosures: readonly Address[]
  /** The highest price that the merchant states; null when it states none. */
  readonly maxPrice: AtomicUsdc | null
  readonly madeAt: Date
}

type Database = { readonly db: Kysely<Tables> }

/** The newest text that a wallet signed, including a withdrawal; null when it never signed one. */
export async function readClaimRecord({ db }: Database, address: Address): Promise<Claim | null> {
  const row = await db
    .selectFrom('claim')
    .selectAll()
    .where('address', '=', address)
    .orderBy('version', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row ? toClaim(row) : null
}

/** The current claim of a wallet; null when there is none or it was withdrawn. */
export async function readClaim(database: Database, address: Address): Promise<Claim | null> {
  const newest = await readClaimRecord(database, address)
  return newest?.action === 'claim' ? newest : null
}

/** @throws ProblemError `not_found` if a wallet has no claim in force. */
export async function requireClaim(database: Database, address: Address): Promise<void> {
  if (await readClaim(database, address)) return
  throw new ProblemError({ code: 'not_found', detail: `${address} has no claim: claim the report first.` })
}

/** The wallets with a claim in force. */
export async function readClaimedWallets(state: State): Promise<ReadonlySet<Address>> {
  const rows = await whereStanding(state).select('address').execute()
  return new Set(rows.map((row) => row.address as Address))
}

/** Every wallet that ever claimed, including withdrawn claims. */
export async function readSigners(state: State): Promise<ReadonlySet<string>> {
  const rows = await state.db.selectFrom('claim_wallet').select('address').execute()
  return new Set(rows.map((row) => row.address))
}

/** Wallets that merchants declare as their own in claims in force, by merchant. */
export async function readDisclosedWallets(
  state: State,
): Promise<ReadonlyMap<Address, ReadonlySet<Address>>> {
  const rows = await whereStanding(state)
    .select(['address', 'disclosures'])
    .where('disclosures', '!=', '[]')
    .execute()
  return new Map(rows.map((row) => [row.address as Address, new Set(parseWallets(row.disclosures))]))
}

/** The highest prices that claims in force state, by merchant. */
export async function readStatedPrices(state: State): Promise<ReadonlyMap<Address, AtomicUsdc>> {
  const rows = await whereStanding(state)
    .select(['address', 'max_price'])
    .where('max_price', 'is not', null)
    .execute()
  return new Map(rows.map((row) => [row.address as Address, BigInt(row.max_price ?? 0)]))
}

function whereStanding({ db }: Database) {
  return db
    .selectFrom('claim')
    .innerJoin(
      // The newest version of each wallet.
      (query) =>
        query
          .selectFrom('claim')
          .select(({ fn }) => ['address as wallet', fn.max('version').as('newest')])
          .groupBy('address')
          .as('standing'),
      (join) =>
        join.onRef('standing.wallet', '=', 'claim.address').onRef('standing.newest', '=', 'claim.version'),
    )
    .where('action', '=', 'claim')
    .orderBy('address')
}

function toClaim(row: Selectable<Tables['claim']>): Claim {
  return {
    address: row.address as Address,
    version: row.version,
    action: row.action,
    message: row.message,
    signature: row.signature as Hex,
    statement: row.statement,
    disclosures: parseWallets(row.disclosures),
    maxPrice: row.max_price === null ? null : BigInt(row.max_price),
    madeAt: new Date(row.made_at),
  }
}

function parseWallets(json: string): readonly Address[] {
  // Stored by acceptClaim from validated addresses.
  return JSON.parse(json) as Address[]
}
