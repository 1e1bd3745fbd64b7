import { createHash, randomBytes } from 'node:crypto'
import { requireFree, type StageOptions, stageEffect } from '@tollbook/endpoints/effect/stage-effect'
import type { PendingEffect } from '@tollbook/gate/contract/effects'
import { ProblemError } from '@tollbook/http/problem'
import { sql, type Transaction } from 'kysely'
import type { State } from '../state/state.ts'
import type { Tables } from '../state/tables.ts'

/** How long an image can be read (X API v2: `expires_after_secs` is 86,400). */
export const IMAGE_TTL_MS = 86_400_000
/** Chosen: ten images of maximum size per user at once, and two hundred for all users. */
const MAX_BYTES_PER_USER = 50 * 1024 * 1024
const MAX_BYTES_TOTAL = 1024 * 1024 * 1024
/** The one row that serializes quota checks. */
const GUARD = 1
/** All images share one quota. */
const OWNER = 'social_image'

/** Quotas for stored images; tests use smaller ones. */
export type ImageQuota = { readonly userBytes: number; readonly allBytes: number }

const QUOTA: ImageQuota = { userBytes: MAX_BYTES_PER_USER, allBytes: MAX_BYTES_TOTAL }

/** An image whose type was already checked by its first bytes. */
export type ImageFile = { readonly contentType: string; readonly bytes: Uint8Array }

export type StoredImage = {
  readonly contentType: string
  readonly content: Uint8Array
  readonly expiresAt: Date
}

/** Dependencies for storing an image, and the signal of the waiting caller. */
export type Saving = Pick<StageOptions<Tables>, 'state' | 'effects' | 'signal'>

type NewImage = { readonly userId: string; readonly file: ImageFile; readonly now: Date }

/**
 * Stages an image, which is stored for a day. The same image of the same user keeps its id, and its day
 * restarts.
 * @returns the media id: 63 random bits in decimal.
 * @throws ProblemError `quota_exceeded` if it exceeds a quota.
 */
export function stageImage(
  saving: Saving,
  { userId, file: { bytes: content, contentType }, now }: NewImage,
  quota: ImageQuota = QUOTA,
): Promise<string> {
  const content_hash = createHash('sha256').update(content).digest('hex')
  const expires_at = now.getTime() + IMAGE_TTL_MS
  const bytes = content.byteLength
  const lock = { resource: `${userId}/${content_hash}`, part: null, isExclusive: true }
  return stageEffect({ ...saving, owner: OWNER }, guard, async ({ transaction, pending }) => {
    requireFree(lock, pending)
    await transaction.deleteFrom('social_image').where('expires_at', '<=', now.getTime()).execute()
    const known = await transaction
      .selectFrom('social_image')
      .select('media_id')
      .where('user_id', '=', userId)
      .where('content_hash', '=', content_hash)
      .executeTakeFirst()
    const effect = { ...lock, owner: OWNER, isNew: !known, bytes: known ? 0 : bytes, rows: 0, lastId: 0 }
    const free = known ? bytes : await findFreeBytes(transaction, { userId, pending, quota })
    if (bytes > free) throw new ProblemError(quotaExceeded(bytes, free))
    const media_id = known?.media_id ?? String(randomBytes(8).readBigUInt64BE() >> 1n)
    // Insert the full row even if the image exists: it may expire before the call settles.
    const insert = transaction
      .insertInto('social_image')
      .values({
        media_id,
        user_id: userId,
        content_hash,
        content_type: contentType,
        expires_at,
        bytes,
        content,
      })
      .onConflict((conflict) => conflict.columns(['user_id', 'content_hash']).doUpdateSet({ expires_at }))
    return { result: media_id, effect: { ...effect, statements: [insert] } }
  })
}

/** The image with a media id; null if it does not exist or has expired. */
export async function findImage(state: State, mediaId: string, now: Date): Promise<StoredImage | null> {
  const row = await state.db
    .selectFrom('social_image')
    .select(['content_type', 'content', 'expires_at'])
    .where('media_id', '=', mediaId)
    .where('expires_at', '>', now.getTime())
    .executeTakeFirst()
  if (!row) return null
  return { contentType: row.content_type, content: row.content, expiresAt: new Date(row.expires_at) }
}

export async function sweepImages(state: State, now: Date): Promise<void> {
  await state.db.deleteFrom('social_image').where('expires_at', '<=', now.getTime()).execute()
}

async function guard(transaction: Transaction<Tables>): Promise<void> {
  await transaction
    .insertInto('social_image_guard')
    .values({ id: GUARD, changes: 1 })
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet((eb) => ({ changes: eb('social_image_guard.changes', '+', 1) })),
    )
    .execute()
}

type Wanted = {
  readonly userId: string
  /** Images of unsettled calls count towards the quota too. */
  readonly pending: readonly PendingEffect[]
  readonly quota: ImageQuota
}

async function findFreeBytes(
  transaction: Transaction<Tables>,
  { userId, pending, quota }: Wanted,
): Promise<number> {
  const sum = sql<number>`cast(coalesce(sum(bytes), 0) as bigint)`.as('sum')
  const all = await transaction.selectFrom('social_image').select(sum).executeTakeFirstOrThrow()
  const own = await transaction
    .selectFrom('social_image')
    .select(sum)
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  const ownPending = pending.filter(({ resource }) => resource.startsWith(`${userId}/`))
  const freeOfUser = quota.userBytes - own.sum - sumBytes(ownPending)
  return Math.max(0, Math.min(freeOfUser, quota.allBytes - all.sum - sumBytes(pending)))
}

function sumBytes(effects: readonly PendingEffect[]): number {
  return effects.reduce((sum, { bytes }) => sum + bytes, 0)
}

function quotaExceeded(needed: number, free: number) {
  return {
    code: 'quota_exceeded',
    detail: `The image needs ${needed} bytes; ${free} are free until earlier images expire after a day.`,
    members: { bytes_needed: needed, bytes_free: free },
  } as const
}
