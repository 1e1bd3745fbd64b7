import { createHash } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import type { Address } from '../../../chain/hex.ts'
import type { State } from '../../state/state.ts'
import type { Tables } from '../../state/tables.ts'
import type { AlertEvent, Webhook } from './webhooks.ts'

export type Alert = {
  readonly event: AlertEvent | 'test'
  /** Identifies the occurrence: it is queued once, however often it is found. */
  readonly key: string
  readonly data: Readonly<Record<string, unknown>>
}

/** Pauses after failed attempts, as Standard Webhooks recommends; after the last one a delivery is given up. */
const PAUSES_MS = [
  5_000, 300_000, 1_800_000, 7_200_000, 18_000_000, 36_000_000, 50_400_000, 72_000_000, 86_400_000,
]
/** Finished deliveries are listed for a week. */
const LISTED_MS = 7 * 86_400_000
/** Longer than a run takes: an attempt that never ended is repeated after it. */
const LEASE_MS = 300_000
/** A receiver that never answers must not fill the state. */
const MAX_PENDING = 100

/** Queues alerts for a webhook, in the caller's transaction. @returns how many were not queued already. */
export async function queueAlerts(
  db: Kysely<Tables>,
  {
    webhook,
    alerts,
    at,
  }: { readonly webhook: Pick<Webhook, 'id'>; readonly alerts: readonly Alert[]; readonly at: Date },
): Promise<number> {
  if (alerts.length === 0) return 0
  const pending = await countPending(db, webhook.id)
  let queued = 0
  for (const { event, key, data } of alerts.slice(0, Math.max(0, MAX_PENDING - pending))) {
    const digest = createHash('sha256')
      .update(JSON.stringify([webhook.id, event, key]))
      .digest('hex')
    const { numInsertedOrUpdatedRows = 0n } = await db
      .insertInto('alert_delivery')
      .values({
        id: `msg_${digest.slice(0, 32)}`,
        webhook: webhook.id,
        event,
        body: JSON.stringify({ type: event, timestamp: at.toISOString(), data }),
        created_at: at.getTime(),
        attempts: 0,
        next_attempt_at: at.getTime(),
        outcome: 'pending',
        last_answer: null,
      })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .executeTakeFirstOrThrow()
    queued += Number(numInsertedOrUpdatedRows)
  }
  return queued
}

/** How many alerts of a webhook are neither delivered nor given up. */
export async function countPending(db: Kysely<Tables>, webhook: string): Promise<number> {
  const { count } = await db
    .selectFrom('alert_delivery')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('webhook', '=', webhook)
    .where('outcome', '=', 'pending')
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** The newest deliveries of a webhook. */
export async function listDeliveries({ db }: State, webhook: string) {
  const rows = await db
    .selectFrom('alert_delivery')
    .select(['id', 'event', 'created_at', 'attempts', 'outcome', 'last_answer'])
    .where('webhook', '=', webhook)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(MAX_PENDING)
    .execute()
  return rows.map(({ created_at, last_answer, ...row }) => ({
    ...row,
    createdAt: new Date(created_at),
    lastAnswer: last_answer,
  }))
}

export type DueDelivery = {
  readonly id: string
  readonly webhook: string
  readonly address: Address
  readonly url: string
  readonly secret: string
  readonly body: string
  /** Including the one that is due. */
  readonly attempts: number
}

/**
 * Takes due deliveries, each for one attempt; repeated later if this process dies. Wallets take turns, so that one with
 * slow receivers does not delay the others.
 */
export async function takeDue(state: State, now: Date, max: number): Promise<readonly DueDelivery[]> {
  const rows = await state.db
    .selectFrom('alert_delivery')
    .innerJoin('alert_webhook', 'alert_webhook.id', 'alert_delivery.webhook')
    .select([
      'alert_delivery.id',
      'webhook',
      'address',
      'url',
      'secret',
      'body',
      'attempts',
      'next_attempt_at',
    ])
    .where('next_attempt_at', '<=', now.getTime())
    .orderBy(sql`row_number() over (partition by address order by next_attempt_at)`)
    .orderBy('next_attempt_at')
    .limit(max)
    .execute()
  const taken: DueDelivery[] = []
  for (const { next_attempt_at: due, ...row } of rows) {
    const attempts = row.attempts + 1
    const { numUpdatedRows } = await state.db
      .updateTable('alert_delivery')
      .set({ attempts, next_attempt_at: now.getTime() + LEASE_MS })
      .where('id', '=', row.id)
      .where('next_attempt_at', '=', due)
      .executeTakeFirstOrThrow()
    if (numUpdatedRows === 1n) taken.push({ ...row, address: row.address as Address, attempts })
  }
  return taken
}

export type Attempt = {
  readonly isDelivered: boolean
  /** A status, or the name of an error. */
  readonly answer: string
  /** Minimum pause that the receiver requests, ms. */
  readonly retryAfterMs: number
}

/** Records an attempt. @returns the outcome so far. */
export async function noteAttempt(
  state: State,
  { id, attempts }: Pick<DueDelivery, 'id' | 'attempts'>,
  { isDelivered, answer, retryAfterMs, now }: Attempt & { readonly now: Date },
): Promise<'delivered' | 'pending' | 'given_up'> {
  const pauseMs = PAUSES_MS[attempts - 1]
  const outcome = isDelivered ? 'delivered' : pauseMs === undefined ? 'given_up' : 'pending'
  const next = now.getTime() + Math.max(pauseMs ?? 0, retryAfterMs)
  await state.db
    .updateTable('alert_delivery')
    .set({ outcome, last_answer: answer, next_attempt_at: outcome === 'pending' ? next : null })
    .where('id', '=', id)
    .execute()
  return outcome
}

/** Deletes finished deliveries that are no longer listed. */
export async function deleteFinished(state: State, now: Date): Promise<void> {
  await state.db
    .deleteFrom('alert_delivery')
    .where('next_attempt_at', 'is', null)
    .where('created_at', '<', now.getTime() - LISTED_MS)
    .execute()
}
