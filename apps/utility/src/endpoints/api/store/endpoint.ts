import { json } from '@tollbook/endpoints/answer'
import { type Address, type Call, defineEndpoint } from '@tollbook/endpoints/endpoint'
import * as z from 'zod'
import type { UtilityPorts } from '../../../ports.ts'
import { bytesUsed, QUOTA_BYTES, quotaBytes, READ_PRICE_USD } from '../../../store/contract.ts'
import { listCollections } from '../../../store/find-collection.ts'
import { time, toTime } from '../../../wallet/wallet-contract.ts'

const input = z.object({})

export const list = defineEndpoint({
  id: 'store.list',
  method: 'GET',
  path: '/api/store',
  pricing: { kind: 'exact', priceUsd: READ_PRICE_USD },
  summary: 'List collections',
  description:
    "The paying wallet's collections of rows: names, row counts, bytes, creation and expiry times, total rows, and storage used and free against the quota of 50 MB.",
  input,
  isPostRead: false,
  output: z.object({
    wallet: z.string(),
    collections: z.array(
      z.object({
        name: z.string(),
        rows: z.int(),
        bytes: z.int(),
        created_at: time,
        updated_at: time,
        expires_at: time.describe('When the collection expires unless it is written or read.'),
      }),
    ),
    total_collections: z.int(),
    total_rows: z.int(),
    bytes_used: bytesUsed,
    quota_bytes: quotaBytes,
    bytes_free: z.int(),
    ts: time,
  }),
  example: {
    input: {},
    output: {
      wallet: '0x00000000000000000000000000000000000000aa',
      collections: [
        {
          name: 'trades',
          rows: 1,
          bytes: 41,
          created_at: '2026-11-21T10:00:00.000Z',
          updated_at: '2026-11-21T10:00:00.000Z',
          expires_at: '2027-01-20T10:00:00.000Z',
        },
      ],
      total_collections: 1,
      total_rows: 1,
      bytes_used: 41,
      quota_bytes: 52_428_800,
      bytes_free: 52_428_759,
      ts: '2026-11-21T10:00:00.000Z',
    },
  },
  limits: { bodyBytes: 0, timeoutMs: 10_000 },
  scope: 'wallet',
  async handle({ ports, payer, now }: Call<z.output<typeof input>, UtilityPorts, Address>) {
    const collections = await listCollections({ state: ports.state, wallet: payer, now })
    const used = collections.reduce((sum, { bytes }) => sum + bytes, 0)
    return json({
      wallet: payer,
      collections: collections.map((collection) => ({
        name: collection.name,
        rows: collection.row_count,
        bytes: collection.bytes,
        created_at: toTime(collection.created_at),
        updated_at: toTime(collection.updated_at),
        expires_at: toTime(collection.expires_at),
      })),
      total_collections: collections.length,
      total_rows: collections.reduce((sum, { row_count }) => sum + row_count, 0),
      bytes_used: used,
      quota_bytes: QUOTA_BYTES,
      bytes_free: QUOTA_BYTES - used,
      ts: now.toISOString(),
    })
  },
})
