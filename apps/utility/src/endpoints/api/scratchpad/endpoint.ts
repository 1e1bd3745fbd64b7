import { json } from '@tollbook/endpoints/answer'
import { type Address, type Call, defineEndpoint } from '@tollbook/endpoints/endpoint'
import * as z from 'zod'
import type { UtilityPorts } from '../../../ports.ts'
import {
  bytesUsed,
  CONTENT_TYPES,
  contentType,
  PADS_QUOTA_BYTES,
  padName,
  quotaBytes,
  READ_PRICE_USD,
  sizeBytes,
  version,
} from '../../../scratchpad/contract.ts'
import type { State } from '../../../state/state.ts'
import { time, toTime } from '../../../wallet/wallet-contract.ts'

type Options = { readonly state: State; readonly wallet: Address; readonly now: Date }

const input = z.object({})

export const list = defineEndpoint({
  id: 'scratchpad.list',
  method: 'GET',
  path: '/api/scratchpad',
  pricing: { kind: 'exact', priceUsd: READ_PRICE_USD },
  summary: 'List scratchpads',
  description:
    "The paying wallet's scratchpads: names, sizes, versions, content types, updated and expiry times, and the storage that they use.",
  input,
  isPostRead: false,
  output: z.object({
    wallet: z.string(),
    scratchpads: z.array(
      z.object({
        name: padName,
        size_bytes: sizeBytes,
        version,
        content_type: contentType,
        updated_at: time,
        expires_at: time.describe('When the pad expires unless it is written again.'),
      }),
    ),
    total: z.int(),
    bytes_used: bytesUsed,
    quota_bytes: quotaBytes,
    ts: time,
  }),
  example: {
    input: {},
    output: {
      wallet: '0x00000000000000000000000000000000000000aa',
      scratchpads: [
        {
          name: 'plan',
          size_bytes: 12,
          version: 1,
          content_type: CONTENT_TYPES.text,
          updated_at: '2026-11-21T10:00:00.000Z',
          expires_at: '2026-11-28T10:00:00.000Z',
        },
      ],
      total: 1,
      bytes_used: 16,
      quota_bytes: 104_857_600,
      ts: '2026-11-21T10:00:00.000Z',
    },
  },
  limits: { bodyBytes: 0, timeoutMs: 10_000 },
  scope: 'wallet',
  async handle({ ports, payer, now }: Call<z.output<typeof input>, UtilityPorts, Address>) {
    const pads = await listPads({ state: ports.state, wallet: payer, now })
    return json({
      wallet: payer,
      scratchpads: pads.map((pad) => ({
        name: pad.name,
        size_bytes: pad.sizeBytes,
        version: pad.version,
        content_type: CONTENT_TYPES[pad.kind],
        updated_at: toTime(pad.made_at),
        expires_at: toTime(pad.expires_at),
      })),
      total: pads.length,
      bytes_used: pads.reduce((sum, { bytes }) => sum + bytes, 0),
      quota_bytes: PADS_QUOTA_BYTES,
      ts: now.toISOString(),
    })
  },
})

/** The wallet's pads by name, in the order of code units on every database, each with its current version. */
async function listPads({ state, wallet, now }: Options) {
  const pads = await state.db
    .selectFrom('pad')
    .innerJoin('pad_version', (join) =>
      join.onRef('pad_version.pad', '=', 'pad.id').onRef('pad_version.version', '=', 'pad.version'),
    )
    .select(['name', 'pad.version', 'pad.bytes', 'expires_at', 'kind', 'made_at'])
    .select('pad_version.bytes as sizeBytes')
    .where('wallet', '=', wallet)
    .where('expires_at', '>', now.getTime())
    .execute()
  return pads.sort((a, b) => (a.name < b.name ? -1 : 1))
}
