import assert from 'node:assert/strict'
import { test } from 'node:test'
import { renderProblem } from '@tollbook/http/reply/problem-document'
import { toResponse } from '@tollbook/http/reply/reply'
import { Ajv2020 } from 'ajv/dist/2020.js'
import * as z from 'zod'
import { json } from '../answer.ts'
import { defineEndpoint } from '../endpoint.ts'
import { buildErrorContent, buildErrorSchemas } from './error-schemas.ts'

const responseOf = (...given: Parameters<typeof renderProblem>) => toResponse(renderProblem(...given))

for (const dialect of ['problem', 'chat', 'messages'] as const) {
  test(`an error in the dialect "${dialect}" has the media type and schema of the OpenAPI document`, async () => {
    const endpoint = defineEndpoint({
      id: 'echo',
      method: 'POST',
      path: '/v1/echo',
      summary: 'Echo',
      description: 'Says what it is told.',
      pricing: { kind: 'free' },
      input: z.object({ text: z.string() }),
      output: z.object({ said: z.string() }),
      example: { input: { text: 'a' }, output: { said: 'a' } },
      limits: { bodyBytes: 100, timeoutMs: 100 },
      dialect,
      handle: () => json({ said: 'a' }),
    })
    const refusal = responseOf(
      { code: 'cannot_be_served', detail: 'no', issues: [{ parameter: 'text', detail: 'is odd' }] },
      { baseUrl: 'https://seller.example', requestId: 'r1', dialect },
    )
    const [[type, { schema }] = ['', { schema: {} }]] = Object.entries(
      buildErrorContent(endpoint) as Record<string, { schema: object }>,
    )
    assert.equal(refusal.headers.get('content-type')?.split(';')[0], type)
    const validate = new Ajv2020({ strict: false }).compile({
      ...schema,
      components: { schemas: buildErrorSchemas([endpoint]) },
    })
    assert.equal(validate(await refusal.json()), true, JSON.stringify(validate.errors))
    assert.equal(validate({ detail: 'no' }), false)
  })
}
