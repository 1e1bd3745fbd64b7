import { bytes, json } from '@tollbook/endpoints/answer'
import { type Address, type Call, defineEndpoint } from '@tollbook/endpoints/endpoint'
import type { Issue } from '@tollbook/http/problem'
import * as z from 'zod'
import type { UtilityPorts } from '../../../../ports.ts'
import { appendRows } from '../../../../store/append-rows.ts'
import {
  bytesUsed,
  collectionName,
  MAX_BODY_BYTES,
  MAX_BODY_VALUES,
  QUOTA_BYTES,
  quotaBytes,
  READ_PRICE_USD,
  row,
  WRITE_PRICE_USD,
} from '../../../../store/contract.ts'
import { deleteCollection } from '../../../../store/delete-collection.ts'
import { queryRows } from '../../../../store/query-rows.ts'
import { pickFields, renderCsv, renderNdjson } from '../../../../store/render-table.ts'
import { findRowIssues, isFields, listRows } from '../../../../store/row.ts'
import { parseCursor } from '../../../../store/scan-rows.ts'
import { findWhereIssues, isWhereName, parseConditions } from '../../../../store/where.ts'
import { time, toTime, toWalletCall } from '../../../../wallet/wallet-contract.ts'

const appendInput = z.object({
  collection: collectionName,
  body: z
    // Not declared as objects: zod would copy them, and numbers of many digits would be indistinguishable from objects.
    .unknown()
    .meta({ anyOf: [{ type: 'object' }, { type: 'array', items: { type: 'object' } }] })
    .describe('A row as an object with any fields, an array of at most 1000 rows, or { "rows": [...] }.'),
  if_total_rows: z
    .int()
    .min(0)
    .optional()
    .describe('Append only if the collection has exactly this many rows.'),
})

export const append = defineEndpoint({
  id: 'store.append',
  method: 'POST',
  effect: 'staged',
  path: '/api/store/{collection}',
  pricing: { kind: 'exact', priceUsd: WRITE_PRICE_USD },
  summary: 'Append rows',
  description:
    'Appends one row or up to 1000, all or none, to a collection of the paying wallet; creates it if missing. Returns ids and storage used of 50 MB. Rows are JSON objects up to 256 KB, stored for 60 days after the last write.',
  input: appendInput,
  hasExactNumbers: true,
  output: z.object({
    collection: collectionName,
    inserted: z.int(),
    ids: z.array(z.int()).describe('Ids of the new rows, in the order of the request.'),
    total_rows: z.int(),
    bytes_used: bytesUsed,
    quota_bytes: quotaBytes,
    expires_at: time,
    ts: time,
  }),
  example: {
    input: { collection: 'trades', body: [{ ticker: 'BTC', note: 'watch 60k' }] },
    output: {
      collection: 'trades',
      inserted: 1,
      ids: [1],
      total_rows: 1,
      bytes_used: 41,
      quota_bytes: 52_428_800,
      expires_at: '2027-01-20T10:00:00.000Z',
      ts: '2026-11-21T10:00:00.000Z',
    },
  },
  limits: { bodyBytes: MAX_BODY_BYTES, bodyValues: MAX_BODY_VALUES, timeoutMs: 20_000 },
  scope: 'wallet',
  check: ({ body }) => findRowIssues(listRows(body)),
  async handle(call: Call<z.output<typeof appendInput>, UtilityPorts, Address>) {
    const { collection: name, body, if_total_rows } = call.input
    const rows = listRows(body).filter(isFields)
    const appended = await appendRows(toWalletCall(call), { name, rows, expectedRows: if_total_rows ?? null })
    return json(
      {
        collection: name,
        inserted: rows.length,
        ids: [...appended.ids],
        total_rows: appended.totalRows,
        bytes_used: appended.bytesUsed,
        quota_bytes: QUOTA_BYTES,
        expires_at: toTime(appended.expiresAtMs),
        ts: call.now.toISOString(),
      },
      { status: 201 },
    )
  },
})

const queryInput = z.object({
  collection: collectionName,
  limit: z.int().min(1).max(1000).default(100).describe('Maximum rows per page.'),
  offset: z.int().min(0).max(10_000_000).optional().describe('Rows to skip; mutually exclusive with cursor.'),
  cursor: z.string().min(1).max(100).optional().describe('next_cursor of the previous page.'),
  order: z.enum(['asc', 'desc']).default('asc').describe('Oldest or newest row first.'),
  since: z
    .union([z.iso.datetime({ offset: true }), z.iso.date()])
    .optional()
    .describe('Only rows created at or after this time.'),
  fields: z.string().min(1).max(1000).optional().describe('The only fields to return, as in a,b.'),
  format: z.enum(['json', 'csv', 'ndjson']).default('json').describe('Format of the answer.'),
})
type Query = z.output<typeof queryInput>

function findQueryIssues(query: Query): readonly Issue[] {
  const { cursor, offset, order } = query
  const issues = [...findWhereIssues(query)]
  if (cursor !== undefined && parseCursor(cursor, order) === null)
    issues.push({ parameter: 'cursor', detail: `is not a cursor of a page in order ${order}` })
  if (cursor !== undefined && offset !== undefined)
    issues.push({ parameter: 'offset', detail: 'is mutually exclusive with cursor' })
  return issues
}

export const query = defineEndpoint({
  id: 'store.query',
  method: 'GET',
  effect: 'staged',
  path: '/api/store/{collection}',
  pricing: { kind: 'exact', priceUsd: READ_PRICE_USD },
  summary: 'Query rows',
  description:
    "Rows of the paying wallet's collection as JSON, CSV or NDJSON, in pages. Filter: where.price.gt=5 (eq, ne, gt, gte, lt, lte, contains), since=time; select fields=a,b; order. Reading keeps it for 30 more days.",
  input: queryInput,
  isPostRead: false,
  takesParameter: isWhereName,
  output: z.object({
    collection: collectionName,
    total_rows: z.int().describe('Rows of the collection.'),
    matched: z.int().describe('Rows that match the query, on all pages.'),
    returned: z.int(),
    next_cursor: z.string().nullable().describe('For the next page; null after the last.'),
    rows: z.array(row.partial().required({ id: true })),
    expires_at: time,
    ts: time,
  }),
  example: {
    input: { collection: 'trades', limit: 10 },
    output: {
      collection: 'trades',
      total_rows: 1,
      matched: 1,
      returned: 1,
      next_cursor: null,
      rows: [
        {
          id: 1,
          version: 1,
          created_at: '2026-11-21T10:00:00.000Z',
          updated_at: '2026-11-21T10:00:00.000Z',
          ticker: 'BTC',
          note: 'watch 60k',
        },
      ],
      expires_at: '2027-01-20T10:00:00.000Z',
      ts: '2026-11-21T10:00:00.000Z',
    },
  },
  limits: { bodyBytes: 0, timeoutMs: 30_000 },
  scope: 'wallet',
  check: findQueryIssues,
  async handle(call: Call<Query, UtilityPorts, Address>) {
    const { collection: name, order, limit, offset, cursor, since, fields, format } = call.input
    const page = await queryRows(toWalletCall(call), {
      name,
      order,
      limit,
      offset: offset ?? 0,
      afterId: cursor === undefined ? null : parseCursor(cursor, order),
      sinceMs: since === undefined ? null : Date.parse(since),
      conditions: parseConditions(call.input),
    })
    const names = fields?.split(',').map((field) => field.trim()) ?? null
    const rows = pickFields(page.rows, names)
    if (format !== 'json') {
      const isCsv = format === 'csv'
      const text = isCsv ? renderCsv(rows) : renderNdjson(rows)
      return bytes(
        new TextEncoder().encode(text),
        isCsv ? 'text/csv; charset=utf-8; header=present' : 'application/x-ndjson; charset=utf-8',
        {
          headers: {
            'x-total-rows': `${page.totalRows}`,
            'x-matched': `${page.matched}`,
            ...(page.nextCursor !== null && { 'x-next-cursor': page.nextCursor }),
          },
        },
      )
    }
    return json({
      collection: name,
      total_rows: page.totalRows,
      matched: page.matched,
      returned: rows.length,
      next_cursor: page.nextCursor,
      rows: [...rows],
      expires_at: toTime(page.expiresAtMs),
      ts: call.now.toISOString(),
    })
  },
})

const deleteInput = z.object({ collection: collectionName })

export const remove = defineEndpoint({
  id: 'store.delete',
  method: 'DELETE',
  effect: 'staged',
  path: '/api/store/{collection}',
  pricing: { kind: 'exact', priceUsd: READ_PRICE_USD },
  summary: 'Delete a collection',
  description: 'Deletes a collection of the paying wallet with all its rows, and frees its storage at once.',
  input: deleteInput,
  output: z.object({
    collection: collectionName,
    deleted_rows: z.int(),
    bytes_used: bytesUsed,
    quota_bytes: quotaBytes,
    ts: time,
  }),
  example: {
    input: { collection: 'trades' },
    output: {
      collection: 'trades',
      deleted_rows: 1,
      bytes_used: 0,
      quota_bytes: 52_428_800,
      ts: '2026-11-21T10:00:00.000Z',
    },
  },
  limits: { bodyBytes: 0, timeoutMs: 20_000 },
  scope: 'wallet',
  async handle(call: Call<z.output<typeof deleteInput>, UtilityPorts, Address>) {
    const { collection: name } = call.input
    const deleted = await deleteCollection(toWalletCall(call), name)
    return json({
      collection: name,
      deleted_rows: deleted.deletedRows,
      bytes_used: deleted.bytesUsed,
      quota_bytes: QUOTA_BYTES,
      ts: call.now.toISOString(),
    })
  },
})
