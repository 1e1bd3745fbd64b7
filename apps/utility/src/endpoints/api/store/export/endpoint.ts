import { lineStream } from '@tollbook/endpoints/answer'
import { type Address, type Call, defineEndpoint } from '@tollbook/endpoints/endpoint'
import * as z from 'zod'
import type { UtilityPorts } from '../../../../ports.ts'
import { READ_PRICE_USD } from '../../../../store/contract.ts'
import { exportStore } from '../../../../store/export-store.ts'
import { toWalletCall } from '../../../../wallet/wallet-contract.ts'

const input = z.object({})

const EXAMPLE = [
  '{"type":"store","wallet":"0x00000000000000000000000000000000000000aa","collections":1,"rows":1,"ts":"2026-11-21T10:00:00.000Z"}',
  '{"type":"collection","name":"trades","rows":1,"created_at":"2026-11-21T10:00:00.000Z","updated_at":"2026-11-21T10:00:00.000Z","expires_at":"2027-01-20T10:00:00.000Z"}',
  '{"type":"row","collection":"trades","row":{"id":1,"version":1,"created_at":"2026-11-21T10:00:00.000Z","updated_at":"2026-11-21T10:00:00.000Z","ticker":"BTC","note":"watch 60k"}}',
  '{"type":"end","collections":1,"rows":1}',
]

export const exportAll = defineEndpoint({
  id: 'store.export',
  method: 'GET',
  effect: 'settled-first',
  path: '/api/store/export',
  pricing: { kind: 'exact', priceUsd: READ_PRICE_USD },
  summary: 'Export all collections',
  description:
    'All collections of the paying wallet with all their rows in one stream, one JSON object per line; the last line has the row count. Reading keeps every collection for 30 more days. Free again for 24 hours.',
  input,
  isPostRead: false,
  output: z.string().meta({ contentMediaType: 'application/x-ndjson' }),
  example: { input: {}, output: `${EXAMPLE.join('\n')}\n` },
  // A full store in this time is 175 kB/s.
  limits: { bodyBytes: 0, timeoutMs: 300_000 },
  scope: 'wallet',
  repeatAccess: { hours: 24 },
  handle: (call: Call<z.output<typeof input>, UtilityPorts, Address>) =>
    lineStream(exportStore(toWalletCall(call))),
})
