import type { Network } from '@tollbook/chain/network'
import * as z from 'zod'
import type { Requested } from './requested.ts'

const address = z.templateLiteral(['0x', z.string().regex(/^[0-9a-fA-F]{40}$/)])
const termsShape = z.object({
  scheme: z.literal('exact'),
  network: z.string(),
  maxAmountRequired: z.string().regex(/^\d{1,30}$/),
  asset: address,
  payTo: address,
  maxTimeoutSeconds: z.int().positive(),
  resource: z.string().catch(''),
  description: z.string().catch(''),
  mimeType: z.string().catch(''),
})
const shape = z.object({ x402Version: z.literal(1), accepts: z.array(z.unknown()) })

/** What the body of a 402 requests by x402 version 1 (specs/transports-v1/http.md): `exact` in USDC. */
export function readVersionOne(body: unknown, network: Network): readonly Requested[] {
  const read = shape.safeParse(body)
  if (!read.success) return []
  return read.data.accepts.flatMap((each): Requested[] => {
    const { data: terms } = termsShape.safeParse(each)
    if (terms?.network !== network.nameV1) return []
    const { maxAmountRequired: amount, resource: url, description, mimeType, ...shared } = terms
    const extra = { name: network.usdcName, version: network.usdcVersion }
    const accepts = [{ ...shared, network: network.id, amount, extra }]
    return [
      {
        required: { x402Version: 2, resource: { url, description, mimeType }, accepts },
        protocol: { seal: (payload) => seal(payload, network) },
      },
    ]
  })
}

function seal(payload: unknown, { nameV1 }: Network): readonly [string, string] {
  const envelope = { x402Version: 1, scheme: 'exact', network: nameV1, payload }
  return ['x-payment', Buffer.from(JSON.stringify(envelope)).toString('base64')]
}
