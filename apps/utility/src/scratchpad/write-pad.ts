import { randomUUID } from 'node:crypto'
import { ProblemError } from '@tollbook/http/problem'
import type { PadTable } from '../state/scratchpad-tables.ts'
import { addBytes, changeResource, requireRoom } from '../wallet/change-resource.ts'
import type { HeldWallet, WalletCall } from '../wallet/change-wallet.ts'
import { chooseDropped, type StoredVersion, sumBytes } from './choose-dropped.ts'
import { appendContent, type Content, toContent } from './content.ts'
import { MAX_PAD_BYTES, MAX_PADS, PADS_QUOTA_BYTES, TTL_SECONDS } from './contract.ts'
import { expectVersion, findPad } from './delete-pad.ts'

type Options = {
  readonly name: string
  /** A string, or any other JSON. */
  readonly value: unknown
  readonly mode: 'replace' | 'append'
  /** Lifetime of the pad from now on; null: at least as long as before, and as for a new pad. */
  readonly ttlSeconds: number | null
  /** The version that the pad must have, 0 if it must not exist; null for any. */
  readonly expectedVersion: number | null
}

export type WrittenPad = {
  readonly version: number
  readonly sizeBytes: number
  readonly expiresAtMs: number
  /** Bytes of all pads of the wallet. */
  readonly bytesUsed: number
}

/**
 * Writes a pad, creating it if missing. Stores the newest versions; if the wallet's quota cannot hold them
 * all, this pad's oldest ones are dropped.
 * @throws ProblemError `version_conflict`, `too_large`, `quota_exceeded`, and `cannot_be_served` for content
 * that cannot be appended or if the wallet has the maximum number of pads.
 */
export function writePad(call: WalletCall, options: Options): Promise<WrittenPad> {
  const { name, value, mode, ttlSeconds, expectedVersion } = options
  return changeResource(call, { kind: 'pad', name, part: null, isExclusive: true }, async (held) => {
    const { transaction, nowMs } = held
    const existing = await findPad(held, name)
    expectVersion(existing, expectedVersion)
    const written =
      mode === 'append' ? appendContent(await readNewest(held, existing), value) : toContent(value)
    const sizeBytes = written.content.byteLength
    if (sizeBytes > MAX_PAD_BYTES) throw new ProblemError(tooLarge(sizeBytes))
    const pad = existing ?? (await newPad(held, name))
    const addedBytes = sizeBytes + (existing ? 0 : pad.bytes)
    const dropped = chooseDropped(await listStored(held, pad), { usedBytes: held.bytes.pad, addedBytes })
    const change = addedBytes - sumBytes(dropped)
    const bytesUsed = addBytes(held.bytes.pad, change, PADS_QUOTA_BYTES)

    const version = pad.version + 1
    const expiresAtMs = expiryOf(held, existing, ttlSeconds)
    const bytes = pad.bytes + sizeBytes - sumBytes(dropped)
    const updated = { version, bytes, expires_at: expiresAtMs }
    const save = existing
      ? transaction.updateTable('pad').set(updated).where('id', '=', pad.id)
      : transaction.insertInto('pad').values({ ...pad, ...updated })
    const drop = transaction
      .deleteFrom('pad_version')
      .where('pad', '=', pad.id)
      .where('version', '<=', dropped.at(-1)?.version ?? 0)
    const insert = transaction
      .insertInto('pad_version')
      .values({ pad: pad.id, version, bytes: sizeBytes, made_at: nowMs, ...written })
    return {
      result: { version, sizeBytes, expiresAtMs, bytesUsed },
      change: {
        isNew: existing === null,
        bytes: change,
        rows: 0,
        lastId: 0,
        statements: dropped.length > 0 ? [save, drop, insert] : [save, insert],
      },
    }
  })
}

async function readNewest({ transaction }: HeldWallet, pad: PadTable | null): Promise<Content | null> {
  if (!pad) return null
  const newest = transaction.selectFrom('pad_version').select(['kind', 'content']).where('pad', '=', pad.id)
  return newest.where('version', '=', pad.version).executeTakeFirstOrThrow()
}

/** A pad without any version yet; its bytes are those of the name. */
async function newPad(held: HeldWallet, name: string): Promise<PadTable> {
  const { wallet, nowMs } = held
  await requireRoom('pad', held, MAX_PADS)
  const bytes = Buffer.byteLength(name)
  return { id: randomUUID(), wallet, name, version: 0, bytes, expires_at: nowMs }
}

/** The stored versions, oldest first. */
function listStored({ transaction }: HeldWallet, pad: PadTable): Promise<readonly StoredVersion[]> {
  const versions = transaction.selectFrom('pad_version').select(['version', 'bytes'])
  return versions.where('pad', '=', pad.id).orderBy('version').execute()
}

function expiryOf({ nowMs }: HeldWallet, existing: PadTable | null, ttlSeconds: number | null): number {
  if (ttlSeconds !== null) return nowMs + ttlSeconds * 1000
  return Math.max(existing?.expires_at ?? 0, nowMs + TTL_SECONDS.standard * 1000)
}

function tooLarge(bytes: number) {
  const detail = `The pad would have ${bytes} bytes (limit ${MAX_PAD_BYTES}).`
  return { code: 'too_large', detail } as const
}
