import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as z from 'zod'
import { json } from '../answer.ts'
import { defineEndpoint } from '../endpoint.ts'
import type { JsonSchema } from '../json-schema.ts'
import { buildDiscoveryVariants } from './discovery-declaration.ts'

test('every declaration has the schema of a query, also of one without arguments, as x402scan demands', () => {
  const get = defineEndpoint({
    id: 'rows.get',
    method: 'GET',
    path: '/api/rows/{row}',
    pricing: { kind: 'exact', priceUsd: '0.005' },
    summary: 'Get a row',
    description: 'Gets a row.',
    input: z.object({ row: z.string() }),
    output: z.unknown(),
    example: { input: { row: 'a' }, output: {} },
    limits: { bodyBytes: 0, timeoutMs: 1000 },
    handle: () => json({}),
  })
  for (const { schema } of buildDiscoveryVariants(get)) {
    const { properties } = schema as unknown as Record<'properties', Record<'input', JsonSchema>>
    assert.deepEqual(Object.keys(properties.input.properties ?? {}).toSorted(), [
      'method',
      'pathParams',
      'queryParams',
      'type',
    ])
  }
})
