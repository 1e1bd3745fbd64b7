import { BASE, findNetwork } from '@tollbook/chain/network'
import { type OfferSigner, signReceipt } from '@tollbook/gate/contract/signed-offers'
import type { TollGate } from '@tollbook/gate/gate/gate-options'
import { ProblemError } from '@tollbook/http/problem'
import * as z from 'zod'
import { json } from '../answer.ts'
import type { PaidOn } from '../documents/money-note.ts'
import { defineEndpoint, type Endpoint } from '../endpoint.ts'

const atomic = z.string().describe('Micro-USDC.')

const signedReceipt = z.object({
  format: z.literal('eip712'),
  payload: z.record(z.string(), z.unknown()),
  signature: z.string(),
})

const EXAMPLE = {
  input: { id: '6d1f0c9f5a3e4b27a5d0c4c1b8f2e7d4' },
  output: {
    id: '6d1f0c9f5a3e4b27a5d0c4c1b8f2e7d4',
    state: 'settled',
    service: 'utility',
    endpoint: 'store.export',
    resourceUrl: 'https://utility.example/api/store/export',
    scheme: 'exact',
    network: 'eip155:8453',
    isTest: false,
    isLocal: false,
    asset: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
    payer: '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
    payTo: '0x5e416c1824fe3d1e245328fe1d64fa76095164f9',
    signedAmount: '1000',
    amount: '1000',
    transaction: '0x3f0b6e0a3ad0a2e3a0a6c1d1b6b5d0c3f4e7a8b9c0d1e2f3a4b5c6d7e8f90123',
    reason: null,
    reservedAt: '2026-11-21T10:00:00.000Z',
    settledAt: '2026-11-21T10:00:00.412Z',
    signed: null,
  },
} as const

/** `GET /v1/receipts/{id}`: the state of a paid call, free for anyone who has the id. */
export function createReceiptEndpoint(
  gate: Pick<TollGate, 'findReceipt'>,
  { name: service, network = BASE, isDemo: isLocal = false }: PaidOn & { readonly name: string },
  signer: OfferSigner | undefined,
): Endpoint {
  return defineEndpoint({
    id: `${service}.receipts.get`,
    method: 'GET',
    path: '/v1/receipts/{id}',
    pricing: { kind: 'free' },
    summary: 'Receipt of a paid call',
    description: 'The state, amount and transaction of a paid call, by the id that its answer contained.',
    input: z.object({ id: z.string().min(1).max(128).describe('Receipt id from the answer.') }),
    output: z.object({
      id: z.string(),
      state: z
        .string()
        .describe(
          'reserved, delivered, streaming, settling, settled, settled-unfinished, released or unknown.',
        ),
      service: z.string(),
      endpoint: z.string(),
      resourceUrl: z.string().nullable(),
      scheme: z.enum(['exact', 'upto', 'batch-settlement']),
      network: z.string(),
      isTest: z.boolean().describe('Whether it is a test network, whose money is worthless.'),
      isLocal: z.boolean().describe('Whether it is a local chain, whatever id that has.'),
      asset: z.string(),
      payer: z.string(),
      payTo: z.string(),
      signedAmount: atomic.describe('The signed amount; the maximum under upto.'),
      amount: atomic.nullable().describe('The amount that was or will be charged; null while it is unknown.'),
      transaction: z.string().nullable(),
      reason: z.string().nullable(),
      reservedAt: z.string(),
      settledAt: z.string().nullable(),
      signed: signedReceipt.nullable().describe('The signed receipt; null while it is not settled.'),
    }),
    example: EXAMPLE,
    limits: { bodyBytes: 0, timeoutMs: 5_000 },
    isPostRead: false,
    async handle({ input }) {
      const found = await gate.findReceipt(input.id)
      if (found?.service !== service) {
        throw new ProblemError({ code: 'not_found', detail: 'No receipt has this id.' })
      }
      const { isTest } = findNetwork(found.network) ?? network
      const receipt = { ...found, isTest, isLocal }
      const { resourceUrl, settledAt: time } = receipt
      if (!signer || resourceUrl === null || time === null) return json({ ...receipt, signed: null })
      const signed = await signReceipt(signer, { ...receipt, resourceUrl, settledAt: Date.parse(time) })
      return json({ ...receipt, signed })
    },
  })
}
