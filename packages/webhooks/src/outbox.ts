import { createHash } from 'node:crypto'
import { type QueryExecutorProvider, type RawBuilder, sql } from 'kysely'
import type { DeliveryColumns, OutboxTables } from './outbox-tables.ts'

export type OutboxEvent = {
  /** The `type` of the body. */
  readonly event: string
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

export type DueDelivery = {
  readonly id: string
  readonly webhook: string
  /** Value of the column `holder`. */
  readonly holder: string
  readonly url: string
  readonly secret: string
  readonly body: string
  /** Including the one that is due. */
  readonly attempts: number
}

export type Attempt = {
  readonly isDelivered: boolean
  /** A status, or the name of an error. */
  readonly answer: string
  /** Minimum pause that the receiver requests, ms. */
  readonly retryAfterMs: number
}

/** Events that are to be delivered to webhooks, in the tables of their owner. Every method takes its connection. */
export class Outbox {
  readonly #webhooks: RawBuilder<unknown>
  readonly #holder: RawBuilder<unknown>
  readonly #deliveries: RawBuilder<unknown>

  constructor({ webhooks, holder, deliveries }: OutboxTables) {
    this.#webhooks = sql.table(webhooks)
    this.#holder = sql.ref(`${webhooks}.${holder}`)
    this.#deliveries = sql.table(deliveries)
  }

  /**
   * Queues events for a webhook. In the caller's transaction, they are sent if and only if it is committed.
   * @returns how many were not queued already.
   */
  async queue(
    db: QueryExecutorProvider,
    { webhook, events, at }: { webhook: string; events: readonly OutboxEvent[]; at: Date },
  ): Promise<number> {
    if (events.length === 0) return 0
    const pending = await this.countPending(db, webhook)
    let queued = 0
    for (const { event, key, data } of events.slice(0, Math.max(0, MAX_PENDING - pending))) {
      const digest = createHash('sha256')
        .update(JSON.stringify([webhook, event, key]))
        .digest('hex')
      const id = `msg_${digest.slice(0, 32)}`
      const body = JSON.stringify({ type: event, timestamp: at.toISOString(), data })
      const { numAffectedRows = 0n } = await sql`
        insert into ${this.#deliveries}
          (id, webhook, event, body, created_at, attempts, next_attempt_at, outcome, last_answer)
        values (${id}, ${webhook}, ${event}, ${body}, ${at.getTime()}, 0, ${at.getTime()}, 'pending', null)
        on conflict (id) do nothing`.execute(db)
      queued += Number(numAffectedRows)
    }
    return queued
  }

  /** How many events of a webhook are neither delivered nor given up. */
  async countPending(db: QueryExecutorProvider, webhook: string): Promise<number> {
    const { rows } = await sql<{ readonly count: number }>`
      select count(*) as count from ${this.#deliveries}
      where webhook = ${webhook} and outcome = 'pending'`.execute(db)
    return Number(rows[0]?.count)
  }

  /** The newest deliveries of a webhook. */
  async list(db: QueryExecutorProvider, webhook: string) {
    type Row = Pick<DeliveryColumns, 'id' | 'event' | 'created_at' | 'attempts' | 'outcome' | 'last_answer'>
    const { rows } = await sql<Row>`
      select id, event, created_at, attempts, outcome, last_answer from ${this.#deliveries}
      where webhook = ${webhook} order by created_at desc, id limit ${MAX_PENDING}`.execute(db)
    return rows.map(({ created_at, last_answer, ...row }) => ({
      ...row,
      createdAt: new Date(created_at),
      lastAnswer: last_answer,
    }))
  }

  /** Takes due deliveries, each for one attempt; repeated later if this process dies. */
  async takeDue(db: QueryExecutorProvider, now: Date, max: number): Promise<readonly DueDelivery[]> {
    const [deliveries, webhooks, holder] = [this.#deliveries, this.#webhooks, this.#holder]
    const { rows } = await sql<DueDelivery & { readonly due: number }>`
      select ${deliveries}.id, webhook, ${holder} as holder, url, secret, body, attempts, next_attempt_at as due
      from ${deliveries} inner join ${webhooks} on ${webhooks}.id = ${deliveries}.webhook
      where next_attempt_at <= ${now.getTime()}
      order by row_number() over (partition by ${holder} order by next_attempt_at), next_attempt_at
      limit ${max}`.execute(db)
    const taken: DueDelivery[] = []
    for (const { due, ...row } of rows) {
      const attempts = row.attempts + 1
      const { numAffectedRows } = await sql`
        update ${deliveries} set attempts = ${attempts}, next_attempt_at = ${now.getTime() + LEASE_MS}
        where id = ${row.id} and next_attempt_at = ${due}`.execute(db)
      if (numAffectedRows === 1n) taken.push({ ...row, attempts })
    }
    return taken
  }

  /** Records an attempt. @returns the outcome so far. */
  async noteAttempt(
    db: QueryExecutorProvider,
    { id, attempts }: Pick<DueDelivery, 'id' | 'attempts'>,
    { isDelivered, answer, retryAfterMs, now }: Attempt & { readonly now: Date },
  ): Promise<DeliveryColumns['outcome']> {
    const pauseMs = PAUSES_MS[attempts - 1]
    const outcome = isDelivered ? 'delivered' : pauseMs === undefined ? 'given_up' : 'pending'
    const next = outcome === 'pending' ? now.getTime() + Math.max(pauseMs ?? 0, retryAfterMs) : null
    await sql`update ${this.#deliveries}
      set outcome = ${outcome}, last_answer = ${answer}, next_attempt_at = ${next}
      where id = ${id}`.execute(db)
    return outcome
  }

  /** Deletes finished deliveries that are no longer listed. */
  async deleteFinished(db: QueryExecutorProvider, now: Date): Promise<void> {
    await sql`delete from ${this.#deliveries}
      where next_attempt_at is null and created_at < ${now.getTime() - LISTED_MS}`.execute(db)
  }
}
