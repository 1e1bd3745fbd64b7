import { setTimeout as wait } from 'node:timers/promises'
import type { Hex } from '@tollbook/chain/hex'
import type { Problem } from '@tollbook/http/problem'
import { sql } from 'kysely'
import type { PayerCode } from '../facilitator.ts'
import type { State } from '../state/state.ts'
import type { Lease } from './reservation.ts'

export type PayerCodeLimits = {
  /** Gas per hour that reverted settlements of payers with the same code may burn. */
  readonly burntGasPerCode: bigint
  /** The same for all payers with code together. */
  readonly burntGasOfCodes: bigint
  /** The same for permits of payers without code that have not covered a revert. */
  readonly burntGasOfPermits: bigint
}

/** Older rows no longer count. */
const WINDOW_MS = 60 * 60_000
/** A tenth of the gas that settled may burn in addition, so that popular wallets are not blocked. */
const CREDIT_DIVISOR = 10n

/**
 * Limits the gas that payers with code can burn: their code may pay in the simulation and revert in a block.
 * All calls of one code count together, across all processes, because all of it is in rows.
 */
export interface PayerCodes {
  /** Holds a call's gas until it is settled; returns why the call may not run, or null. */
  hold(lease: Lease, code: PayerCode): Promise<Problem | null>
  /**
   * The same for a settlement that submits the EIP-2612 permit of a payer without code. If it reverts, it costs
   * 124,000 gas, about twice what it costs to empty a wallet.
   */
  holdPermit(lease: Lease): Promise<Problem | null>
  /** @param codeHash null: of a permit. */
  burn(lease: Lease, codeHash: Hex | null, gas: bigint): Promise<void>
}

type Use = {
  readonly burnt: bigint
  readonly settled: bigint
  readonly held: bigint
  /** The part of it held by calls that were reserved no later than this one. */
  readonly olderHeld: bigint
}

/** In place of a code: payers without code that sign a permit. */
const PERMITS = ''
/** A reverted settlement with a permit, with a reserve: 124,000 on the dev chain. */
const PERMIT_GAS = 160_000n
/** How often and how long apart an older call waits for younger ones to give way. */
const RETRY = { attempts: 5, waitMs: 10 }

export function createPayerCodes(options: {
  readonly state: State
  readonly limits: PayerCodeLimits
  readonly clock: () => Date
}): PayerCodes {
  const { state, limits, clock } = options
  const now = () => clock().getTime()

  async function write(row: { call: string; code_hash: string; gas: number; burnt: number }): Promise<void> {
    const { code_hash, gas, burnt } = row
    await state.db
      .insertInto('payer_code_use')
      .values({ ...row, used_at: now() })
      .onConflict((conflict) =>
        conflict.column('call').doUpdateSet({
          code_hash,
          used_at: now(),
          burnt: sql<number>`payer_code_use.burnt + ${burnt}`,
          ...(gas > 0 && { gas }),
        }),
      )
      .execute()
  }

  /** @param codeHash if absent, of all codes together. */
  async function readUse(lease: Lease, codeHash?: string): Promise<Use> {
    const { reservedAt } = lease
    const row = await state.db
      .selectFrom('payer_code_use')
      .leftJoin('paid_call', 'paid_call.id', 'payer_code_use.call')
      .select([
        sql<number>`cast(coalesce(sum(burnt), 0) as bigint)`.as('burnt'),
        sql<number>`cast(coalesce(sum(case when is_open = 1 then gas end), 0) as bigint)`.as('held'),
        sql<number>`cast(coalesce(sum(case when is_open = 1 and reserved_at <= ${reservedAt} then gas end), 0) as bigint)`.as(
          'older_held',
        ),
        sql<number>`cast(coalesce(sum(case when state in ('settled', 'settled-unfinished') then gas end), 0) as bigint)`.as(
          'settled',
        ),
      ])
      .where('used_at', '>', now() - WINDOW_MS)
      .where('code_hash', codeHash === undefined ? '<>' : '=', codeHash ?? '')
      .executeTakeFirstOrThrow()
    return {
      burnt: BigInt(row.burnt),
      settled: BigInt(row.settled),
      held: BigInt(row.held),
      olderHeld: BigInt(row.older_held),
    }
  }

  /** Returns how long the call has to wait, or null. */
  async function holdWithin(
    lease: Lease,
    { codeHash, gas }: { readonly codeHash: string; readonly gas: bigint },
    readFits: () => Promise<readonly Fit[]>,
  ): Promise<'briefly' | 'long' | null> {
    // Of two concurrent calls at least one sees the other: each is a row before it checks.
    await write({ call: lease.id, code_hash: codeHash, gas: Number(gas), burnt: 0 })
    for (let attempt = 1; ; attempt += 1) {
      const fits = await readFits()
      if (fits.every((each) => each === 'fits')) return null
      if (fits.includes('never')) return 'long'
      if (fits.includes('after-older') || attempt >= RETRY.attempts) return 'briefly'
      await wait(RETRY.waitMs)
    }
  }

  return {
    hold: async (lease, { codeHash, gas }) => {
      const delay = await holdWithin(lease, { codeHash, gas }, async () => {
        const [ofCode, ofAll] = await Promise.all([readUse(lease, codeHash), readUse(lease)])
        return [fit(ofCode, limits.burntGasPerCode, gas), fit(ofAll, limits.burntGasOfCodes, gas)]
      })
      return delay && refused(delay === 'briefly')
    },
    holdPermit: async (lease) => {
      const delay = await holdWithin(lease, { codeHash: PERMITS, gas: PERMIT_GAS }, async () => [
        fit(await readUse(lease, PERMITS), limits.burntGasOfPermits, PERMIT_GAS),
      ])
      return delay && (delay === 'briefly' ? PERMITS_IN_PROGRESS : PERMITS_USED_UP)
    },
    burn: async (lease, codeHash, gas) => {
      await write({ call: lease.id, code_hash: codeHash ?? PERMITS, gas: 0, burnt: Number(gas) })
    },
  }
}

type Fit = 'fits' | 'after-younger' | 'after-older' | 'never'

/** Whether a call fits: now, once younger calls give way, once older ones have ended, or not within the hour. */
function fit(use: Use, limit: bigint, gas: bigint): Fit {
  const bound = limit + use.settled / CREDIT_DIVISOR
  if (use.burnt + gas > bound) return 'never'
  if (use.burnt + use.olderHeld > bound) return 'after-older'
  return use.burnt + use.held > bound ? 'after-younger' : 'fits'
}

/** Deletes rows that no longer count. */
export async function sweepPayerCodes(state: State, nowMs: number): Promise<void> {
  await state.db
    .deleteFrom('payer_code_use')
    .where('used_at', '<', nowMs - WINDOW_MS)
    .execute()
}

const PERMITS_IN_PROGRESS: Problem = {
  code: 'rate_limited',
  detail: 'Other calls of new wallets with a permit are in progress.',
  retryAfterSeconds: 1,
}

const PERMITS_USED_UP: Problem = {
  code: 'allowance_required',
  detail:
    'Reverted settlements of new wallets with a permit have used up their gas budget: let this wallet approve Permit2 by a transaction, or pay from another that has paid here.',
  retryAfterSeconds: WINDOW_MS / 1000,
}

function refused(isTransient: boolean): Problem {
  return {
    code: 'contract_wallet_refused',
    detail: isTransient
      ? 'Other calls of wallets with this code are in progress. Repeat the call, or pay from a wallet without code.'
      : 'Reverted settlements of wallets with code have used up their gas budget. Pay from a wallet without code.',
    retryAfterSeconds: isTransient ? 1 : WINDOW_MS / 1000,
  }
}
