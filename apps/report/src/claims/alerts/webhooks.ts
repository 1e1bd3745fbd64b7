import { randomBytes } from 'node:crypto'
import type { Address } from '@tollbook/chain/hex'
import { ProblemError } from '@tollbook/http/problem'
import { createWebhookSecret } from '@tollbook/webhooks/sign-webhook'
import type { Selectable, Transaction } from 'kysely'
import type { State } from '../../state/state.ts'
import type { Tables } from '../../state/tables.ts'
import { requireClaim } from '../stored-claims.ts'

export const ALERT_EVENTS = ['flag.new', 'endpoint.unhealthy', 'rank.changed', 'revenue.dropped'] as const
export type AlertEvent = (typeof ALERT_EVENTS)[number]

export type WebhookWish = {
  readonly url: string
  readonly events: readonly AlertEvent[]
  /** Places between two weeks from which on a change of rank is an event. */
  readonly rankPlaces: number
  /** Percent by which real revenue must fall between two weeks to be an event. */
  readonly dropPercent: number
}
export type Webhook = WebhookWish & {
  /** 32 hex digits. */
  readonly id: string
  readonly address: Address
  readonly createdAt: Date
}

const MAX_WEBHOOKS = 5

/**
 * Stores a webhook of a claimed wallet. @returns it with its secret, which is never returned again.
 * @throws ProblemError `not_found` without a claim in force, `rate_limited` if it has five webhooks.
 */
export async function createWebhook(
  state: State,
  wish: WebhookWish & { readonly address: Address },
  now: Date,
): Promise<Webhook & { readonly secret: string }> {
  const { address, url, events, rankPlaces, dropPercent } = wish
  const [id, secret] = [randomBytes(16).toString('hex'), createWebhookSecret()]
  await state.db.transaction().execute(async (transaction) => {
    // Serialises transactions of one wallet.
    await transaction
      .updateTable('claim_wallet')
      .set(({ ref }) => ({ version: ref('version') }))
      .where('address', '=', address)
      .execute()
    // A withdrawal deletes webhooks, so none may be added after it.
    await requireClaim({ db: transaction }, address)
    const own = await transaction
      .selectFrom('alert_webhook')
      .select('id')
      .where('address', '=', address)
      .execute()
    const detail = `A wallet can have ${MAX_WEBHOOKS} webhooks. Delete one first.`
    if (own.length >= MAX_WEBHOOKS) throw new ProblemError({ code: 'rate_limited', detail })
    const thresholds = { rank_places: rankPlaces, drop_percent: dropPercent }
    await transaction
      .insertInto('alert_webhook')
      .values({
        id,
        address,
        url,
        secret,
        events: JSON.stringify(events),
        ...thresholds,
        created_at: now.getTime(),
      })
      .execute()
  })
  return { ...wish, id, secret, createdAt: now }
}

/** The webhooks of a wallet, oldest first, or of all wallets. */
export async function listWebhooks(
  { db }: Pick<State, 'db'> | { readonly db: Transaction<Tables> },
  address?: Address,
): Promise<readonly Webhook[]> {
  const rows = await db
    .selectFrom('alert_webhook')
    .selectAll()
    .$if(address !== undefined, (all) => all.where('address', '=', address ?? ''))
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  return rows.map(toWebhook)
}

/** Deletes a webhook with what it has not received. @returns whether the wallet had it. */
export async function deleteWebhook(
  state: State,
  { id, address }: { readonly id: string; readonly address: Address },
): Promise<boolean> {
  return state.db.transaction().execute(async (transaction) => {
    const { numDeletedRows } = await transaction
      .deleteFrom('alert_webhook')
      .where('id', '=', id)
      .where('address', '=', address)
      .executeTakeFirstOrThrow()
    if (numDeletedRows > 0n)
      await transaction.deleteFrom('alert_delivery').where('webhook', '=', id).execute()
    return numDeletedRows > 0n
  })
}

/** Deletes everything about the alerts of a wallet, as when it withdraws its claim. */
export async function deleteAlerts(transaction: Transaction<Tables>, address: Address): Promise<void> {
  const own = transaction.selectFrom('alert_webhook').select('id').where('address', '=', address)
  await transaction.deleteFrom('alert_delivery').where('webhook', 'in', own).execute()
  await transaction.deleteFrom('alert_webhook').where('address', '=', address).execute()
  await transaction.deleteFrom('alert_session').where('address', '=', address).execute()
}

function toWebhook(row: Selectable<Tables['alert_webhook']>): Webhook {
  return {
    id: row.id,
    address: row.address as Address,
    url: row.url,
    // Stored by createWebhook.
    events: JSON.parse(row.events) as AlertEvent[],
    rankPlaces: row.rank_places,
    dropPercent: row.drop_percent,
    createdAt: new Date(row.created_at),
  }
}
