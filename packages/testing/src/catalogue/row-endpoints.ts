import { json } from '@tollbook/endpoints/answer'
import { defineEndpoint } from '@tollbook/endpoints/endpoint'
import * as z from 'zod'

/** What an endpoint of a test says where the test does not care. */
export const ANY_ENDPOINT = {
  summary: 'A test',
  description: 'An endpoint of this test.',
  output: z.unknown(),
  limits: { bodyBytes: 1000, timeoutMs: 1_000 },
} as const

/** Answers with its input, numbers digit for digit. */
export const putRow = defineEndpoint({
  ...ANY_ENDPOINT,
  id: 'rows.put',
  method: 'PUT',
  path: '/api/rows/{row}',
  pricing: { kind: 'exact', priceUsd: '0.005' },
  input: z.object({ row: z.string(), body: z.unknown() }),
  hasExactNumbers: true,
  example: { input: { row: 'a', body: [] }, output: {} },
  handle: ({ input }) => json({ input }),
})

/** The read of the same path, which takes `where.*` beyond its schema. */
export const getRow = defineEndpoint({
  ...ANY_ENDPOINT,
  id: 'rows.get',
  method: 'GET',
  path: '/api/rows/{row}',
  pricing: { kind: 'exact', priceUsd: '0.001' },
  input: z.object({ row: z.string() }),
  takesParameter: (name) => name.startsWith('where.'),
  example: { input: { row: 'a' }, output: {} },
  handle: ({ input }) => json({ input }),
})

/** A free one that takes a secret. */
export const freeEndpoint = defineEndpoint({
  id: 'free',
  method: 'GET',
  path: '/api/free',
  pricing: { kind: 'free' },
  summary: 'Free',
  description: 'Costs nothing.',
  input: z.object({ auth_token: z.string().optional() }),
  secrets: ['auth_token'],
  output: z.unknown(),
  example: { input: {}, output: {} },
  limits: { bodyBytes: 1000, timeoutMs: 1000 },
  handle: () => json({}),
})
