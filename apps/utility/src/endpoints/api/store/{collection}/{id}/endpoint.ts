import { json } from '@tollbook/endpoints/answer'
import { type Address, type Call, defineEndpoint } from '@tollbook/endpoints/endpoint'
import * as z from 'zod'
import type { UtilityPorts } from '../../../../../ports.ts'
import { changeRow, deleteRow } from '../../../../../store/change-row.ts'
import {
  bytesUsed,
  collectionName,
  expectedVersion,
  QUOTA_BYTES,
  quotaBytes,
  READ_PRICE_USD,
  row,
  rowId,
  WRITE_PRICE_USD,
} from '../../../../../store/contract.ts'
import { readRow } from '../../../../../store/query-rows.ts'
import {
  type Fields,
  findChangeIssues,
  isFields,
  splitChange,
  toAnswerRow,
} from '../../../../../store/row.ts'
import {
  readExpectedVersion,
  time,
  toTag,
  toTime,
  toWalletCall,
} from '../../../../../wallet/wallet-contract.ts'

const PATH = '/api/store/{collection}/{id}'
/** A row of 256 KB with escapes and whitespace. */
const BODY_BYTES = 1024 * 1024
const EXAMPLE_TIME = '2026-11-21T10:00:00.000Z'
const EXAMPLE_ROW = {
  id: 1,
  version: 1,
  created_at: EXAMPLE_TIME,
  updated_at: EXAMPLE_TIME,
  ticker: 'BTC',
  note: 'watch 60k',
}

const getInput = z.object({ collection: collectionName, id: rowId })

export const get = defineEndpoint({
  id: 'store.row.get',
  method: 'GET',
  effect: 'staged',
  path: PATH,
  pricing: { kind: 'exact', priceUsd: READ_PRICE_USD },
  summary: 'Read a row',
  description:
    "One row of the paying wallet's collection with its id, version and times. Reading keeps the collection for 30 more days.",
  input: getInput,
  isPostRead: false,
  output: z.object({ collection: collectionName, row, expires_at: time, ts: time }),
  example: {
    input: { collection: 'trades', id: 1 },
    output: {
      collection: 'trades',
      row: EXAMPLE_ROW,
      expires_at: '2027-01-20T10:00:00.000Z',
      ts: EXAMPLE_TIME,
    },
  },
  limits: { bodyBytes: 0, timeoutMs: 10_000 },
  scope: 'wallet',
  async handle(call: Call<z.output<typeof getInput>, UtilityPorts, Address>) {
    const { collection: name, id } = call.input
    const found = await readRow(toWalletCall(call), name, id)
    return json(
      {
        collection: name,
        row: toAnswerRow(found.row),
        expires_at: toTime(found.expiresAtMs),
        ts: call.now.toISOString(),
      },
      { headers: { etag: toTag(found.row.version) } },
    )
  },
})

const changeInput = z.object({
  collection: collectionName,
  id: rowId,
  body: z
    .unknown()
    .meta({ type: 'object' })
    .describe('The fields. A row may be sent as it was returned: its version is then the expected one.'),
  version: expectedVersion,
})
type Change = z.output<typeof changeInput>

const changeOutput = z.object({
  collection: collectionName,
  row,
  bytes_used: bytesUsed,
  quota_bytes: quotaBytes,
  expires_at: time,
  ts: time,
})

async function runChange(
  call: Call<Change, UtilityPorts, Address>,
  change: (present: Fields, provided: Fields) => Fields,
) {
  const { collection: name, id, body, version } = call.input
  const provided = splitChange(isFields(body) ? body : {})
  const expected = readExpectedVersion(call.ifMatch, version, provided.version)
  const changed = await changeRow(toWalletCall(call), { name, id, expectedVersion: expected }, (present) =>
    change(present, provided.fields),
  )
  return json(
    {
      collection: name,
      row: toAnswerRow(changed.row),
      bytes_used: changed.bytesUsed,
      quota_bytes: QUOTA_BYTES,
      expires_at: toTime(changed.expiresAtMs),
      ts: call.now.toISOString(),
    },
    { headers: { etag: toTag(changed.row.version) } },
  )
}

const changeExample = {
  input: { collection: 'trades', id: 1, body: { ticker: 'BTC', note: 'sold' }, version: 1 },
  output: {
    collection: 'trades',
    row: { ...EXAMPLE_ROW, version: 2, note: 'sold' },
    bytes_used: 36,
    quota_bytes: 52_428_800,
    expires_at: '2027-01-20T10:00:00.000Z',
    ts: EXAMPLE_TIME,
  },
}

export const put = defineEndpoint({
  id: 'store.row.put',
  method: 'PUT',
  effect: 'staged',
  path: PATH,
  pricing: { kind: 'exact', priceUsd: WRITE_PRICE_USD },
  summary: 'Replace a row',
  description:
    "Replaces the fields of a row in the paying wallet's collection. With If-Match or version, only if the row still has that version; otherwise 409 and no charge.",
  input: changeInput,
  hasExactNumbers: true,
  output: changeOutput,
  example: changeExample,
  limits: { bodyBytes: BODY_BYTES, timeoutMs: 10_000 },
  scope: 'wallet',
  check: ({ body, id }) => findChangeIssues(body, id),
  handle: (call: Call<Change, UtilityPorts, Address>) => runChange(call, (_present, provided) => provided),
})

export const patch = defineEndpoint({
  id: 'store.row.patch',
  method: 'PATCH',
  effect: 'staged',
  path: PATH,
  pricing: { kind: 'exact', priceUsd: WRITE_PRICE_USD },
  summary: 'Change fields of a row',
  description:
    "Changes fields of a row in the paying wallet's collection by JSON merge patch: null deletes a field, objects merge. With If-Match or version, only if the row still has that version.",
  input: changeInput,
  hasExactNumbers: true,
  output: changeOutput,
  example: { ...changeExample, input: { collection: 'trades', id: 1, body: { note: 'sold' } } },
  limits: { bodyBytes: BODY_BYTES, timeoutMs: 10_000 },
  scope: 'wallet',
  check: ({ body, id }) => findChangeIssues(body, id),
  handle: (call: Call<Change, UtilityPorts, Address>) => runChange(call, mergePatch),
})

const deleteInput = z.object({ collection: collectionName, id: rowId, version: expectedVersion })

export const remove = defineEndpoint({
  id: 'store.row.delete',
  method: 'DELETE',
  effect: 'staged',
  path: PATH,
  pricing: { kind: 'exact', priceUsd: READ_PRICE_USD },
  summary: 'Delete a row',
  description:
    "Deletes a row of the paying wallet's collection. With If-Match or version, only if the row still has that version.",
  input: deleteInput,
  output: z.object({
    collection: collectionName,
    id: rowId,
    deleted: z.literal(true),
    total_rows: z.int(),
    bytes_used: bytesUsed,
    quota_bytes: quotaBytes,
    ts: time,
  }),
  example: {
    input: { collection: 'trades', id: 1 },
    output: {
      collection: 'trades',
      id: 1,
      deleted: true,
      total_rows: 0,
      bytes_used: 6,
      quota_bytes: 52_428_800,
      ts: EXAMPLE_TIME,
    },
  },
  limits: { bodyBytes: 0, timeoutMs: 10_000 },
  scope: 'wallet',
  async handle(call: Call<z.output<typeof deleteInput>, UtilityPorts, Address>) {
    const { collection: name, id, version } = call.input
    const address = { name, id, expectedVersion: readExpectedVersion(call.ifMatch, version) }
    const deleted = await deleteRow(toWalletCall(call), address)
    return json({
      collection: name,
      id,
      deleted: true as const,
      total_rows: deleted.totalRows,
      bytes_used: deleted.bytesUsed,
      quota_bytes: QUOTA_BYTES,
      ts: call.now.toISOString(),
    })
  },
})

/** Applies a JSON merge patch (RFC 7396) to an object: null deletes, objects merge, all else replaces. */
function mergePatch(target: Fields, patch: Fields): Fields {
  const merged: Record<string, unknown> = { ...target }
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete merged[name]
    else if (isFields(value)) merged[name] = mergePatch(isFields(merged[name]) ? merged[name] : {}, value)
    else merged[name] = value
  }
  return merged
}
