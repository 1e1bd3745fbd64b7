import { bytes, json } from '@tollbook/endpoints/answer'
import { type Address, type Call, defineEndpoint } from '@tollbook/endpoints/endpoint'
import type { Issue } from '@tollbook/http/problem'
import * as z from 'zod'
import type { UtilityPorts } from '../../../../ports.ts'
import { toContent, toValue } from '../../../../scratchpad/content.ts'
import {
  bytesUsed,
  CONTENT_TYPES,
  contentType,
  expectedVersion,
  MAX_BODY_BYTES,
  MAX_PAD_BYTES,
  PADS_QUOTA_BYTES,
  padName,
  quotaBytes,
  READ_PRICE_USD,
  sizeBytes,
  TTL_SECONDS,
  version,
  WRITE_PRICE_USD,
} from '../../../../scratchpad/contract.ts'
import { deletePad } from '../../../../scratchpad/delete-pad.ts'
import { readPad } from '../../../../scratchpad/read-pad.ts'
import { writePad } from '../../../../scratchpad/write-pad.ts'
import { readExpectedVersion, time, toTag, toTime, toWalletCall } from '../../../../wallet/wallet-contract.ts'

const PATH = '/api/scratchpad/{name}'
const EXAMPLE_TIME = '2026-11-21T10:00:00.000Z'
const EXAMPLE_EXPIRY = '2026-11-28T10:00:00.000Z'

const writeInput = z.object({
  name: padName,
  content: z.unknown().describe('A string, or any other JSON value.'),
  mode: z
    .enum(['replace', 'append'])
    .default('replace')
    .describe('append adds a string to the end of a string, and any value to the end of a JSON array.'),
  ttl_seconds: z
    .int()
    .min(TTL_SECONDS.min)
    .max(TTL_SECONDS.max)
    .optional()
    .describe(
      `Lifetime of the pad from now on, in seconds. By default ${TTL_SECONDS.standard} for a new pad; an existing one keeps at least this long.`,
    ),
  if_version: expectedVersion,
})
type Write = z.output<typeof writeInput>

function findContentIssues({ content }: Write): readonly Issue[] {
  if (typeof content === 'string' && !content.isWellFormed())
    return [{ parameter: 'content', detail: 'has an unpaired surrogate, which is not valid Unicode' }]
  const sizeBytes = toContent(content).content.byteLength
  if (sizeBytes <= MAX_PAD_BYTES) return []
  const detail = `has ${sizeBytes} bytes (limit ${MAX_PAD_BYTES})`
  return [{ parameter: 'content', detail, code: 'too_large' }]
}

const write = {
  path: PATH,
  pricing: { kind: 'exact', priceUsd: WRITE_PRICE_USD },
  input: writeInput,
  hasExactNumbers: true,
  output: z.object({
    name: padName,
    version,
    size_bytes: sizeBytes,
    updated_at: time,
    expires_at: time,
    bytes_used: bytesUsed,
    quota_bytes: quotaBytes,
    ts: time,
  }),
  limits: { bodyBytes: MAX_BODY_BYTES, timeoutMs: 15_000 },
  scope: 'wallet',
  check: findContentIssues,
  async handle(call: Call<Write, UtilityPorts, Address>) {
    const { name, content, mode, ttl_seconds, if_version } = call.input
    const written = await writePad(toWalletCall(call), {
      name,
      value: content,
      mode,
      ttlSeconds: ttl_seconds ?? null,
      expectedVersion: readExpectedVersion(call.ifMatch, if_version),
    })
    return json(
      {
        name,
        version: written.version,
        size_bytes: written.sizeBytes,
        updated_at: toTime(call.now.getTime()),
        expires_at: toTime(written.expiresAtMs),
        bytes_used: written.bytesUsed,
        quota_bytes: PADS_QUOTA_BYTES,
        ts: call.now.toISOString(),
      },
      { status: written.version === 1 ? 201 : 200, headers: { etag: toTag(written.version) } },
    )
  },
} as const

const writeExample = {
  name: 'plan',
  version: 1,
  size_bytes: 12,
  updated_at: EXAMPLE_TIME,
  expires_at: EXAMPLE_EXPIRY,
  bytes_used: 16,
  quota_bytes: 104_857_600,
  ts: EXAMPLE_TIME,
}

export const put = defineEndpoint({
  ...write,
  id: 'scratchpad.put',
  method: 'PUT',
  effect: 'staged',
  summary: 'Write a scratchpad',
  description:
    'Writes a named pad of the paying wallet: a text or JSON up to 1 MB, replaced or appended, stored for 60 s to 90 days (7 by default) with its last ten versions. if_version: write only if that is still the current version.',
  example: { input: { name: 'plan', content: 'step 3 done\n' }, output: writeExample },
})

export const post = defineEndpoint({
  ...write,
  id: 'scratchpad.post',
  method: 'POST',
  effect: 'staged',
  summary: 'Write or extend a scratchpad',
  description:
    'Same as PUT, for clients that can only POST: writes a named pad of the paying wallet, a text or JSON up to 1 MB, replaced or appended.',
  example: { input: { name: 'plan', content: 'step 3 done\n', mode: 'append' }, output: writeExample },
})

const getInput = z.object({
  name: padName,
  version: version.optional().describe('One of the last ten versions; defaults to the current one.'),
  raw: z.stringbool().default(false).describe('1 returns only the content, with its own content type.'),
})

export const get = defineEndpoint({
  id: 'scratchpad.get',
  method: 'GET',
  path: PATH,
  pricing: { kind: 'exact', priceUsd: READ_PRICE_USD },
  summary: 'Read a scratchpad',
  description:
    'A pad of the paying wallet: content, version, expiry time, and the stored versions. version=3 returns an earlier version, raw=1 only the content.',
  input: getInput,
  isPostRead: false,
  output: z.object({
    name: padName,
    content: z.unknown().describe('A string or JSON value, as it was written.'),
    content_type: contentType,
    version,
    versions: z
      .array(z.object({ version, updated_at: time, size_bytes: sizeBytes }))
      .describe('Newest first.'),
    size_bytes: sizeBytes,
    updated_at: time,
    expires_at: time,
    ts: time,
  }),
  example: {
    input: { name: 'plan' },
    output: {
      name: 'plan',
      content: 'step 3 done\n',
      content_type: CONTENT_TYPES.text,
      version: 1,
      versions: [{ version: 1, updated_at: EXAMPLE_TIME, size_bytes: 12 }],
      size_bytes: 12,
      updated_at: EXAMPLE_TIME,
      expires_at: EXAMPLE_EXPIRY,
      ts: EXAMPLE_TIME,
    },
  },
  limits: { bodyBytes: 0, timeoutMs: 10_000 },
  scope: 'wallet',
  async handle(call: Call<z.output<typeof getInput>, UtilityPorts, Address>) {
    const { name, version, raw } = call.input
    const { head, content, versions, expiresAtMs } = await readPad(toWalletCall(call), name, version ?? null)
    const tag = { etag: toTag(head.version) }
    if (raw)
      return bytes(content.content, CONTENT_TYPES[content.kind], {
        headers: { ...tag, 'x-updated-at': toTime(head.made_at), 'x-expires-at': toTime(expiresAtMs) },
      })
    return json(
      {
        name,
        content: toValue(content),
        content_type: CONTENT_TYPES[content.kind],
        version: head.version,
        versions: versions.map((one) => ({
          version: one.version,
          updated_at: toTime(one.made_at),
          size_bytes: one.bytes,
        })),
        size_bytes: head.bytes,
        updated_at: toTime(head.made_at),
        expires_at: toTime(expiresAtMs),
        ts: call.now.toISOString(),
      },
      { headers: tag },
    )
  },
})

const deleteInput = z.object({ name: padName, if_version: expectedVersion })

export const remove = defineEndpoint({
  id: 'scratchpad.delete',
  method: 'DELETE',
  effect: 'staged',
  path: PATH,
  pricing: { kind: 'exact', priceUsd: READ_PRICE_USD },
  summary: 'Delete a scratchpad',
  description: 'Deletes a pad of the paying wallet with all its versions, and frees its storage at once.',
  input: deleteInput,
  output: z.object({
    name: padName,
    deleted: z.literal(true),
    bytes_used: bytesUsed,
    quota_bytes: quotaBytes,
    ts: time,
  }),
  example: {
    input: { name: 'plan' },
    output: { name: 'plan', deleted: true, bytes_used: 0, quota_bytes: 104_857_600, ts: EXAMPLE_TIME },
  },
  limits: { bodyBytes: 0, timeoutMs: 10_000 },
  scope: 'wallet',
  async handle(call: Call<z.output<typeof deleteInput>, UtilityPorts, Address>) {
    const { name, if_version } = call.input
    const deleted = await deletePad(toWalletCall(call), name, readExpectedVersion(call.ifMatch, if_version))
    return json({
      name,
      deleted: true as const,
      bytes_used: deleted.bytesUsed,
      quota_bytes: PADS_QUOTA_BYTES,
      ts: call.now.toISOString(),
    })
  },
})
