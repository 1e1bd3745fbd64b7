import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ANY_ENDPOINT } from '@tollbook/testing/catalogue/row-endpoints'
import { createTestApp } from '@tollbook/testing/catalogue/test-app'
import * as z from 'zod'
import { json } from '../answer.ts'
import { defineEndpoint } from '../endpoint.ts'

test('the limit of a body is shown only where an endpoint accepts one', async () => {
  const read = async (bodyBytes: number) => {
    const endpoint = defineEndpoint({
      ...ANY_ENDPOINT,
      id: 'row',
      method: 'GET',
      path: '/api/row',
      pricing: { kind: 'free' },
      input: z.object({}),
      example: { input: {} },
      limits: { ...ANY_ENDPOINT.limits, bodyBytes },
      handle: () => json({}),
    })
    const page = await (await createTestApp([endpoint]).request('/')).text()
    return /Limits: [^<]*/.exec(page)?.[0]
  }
  assert.equal(await read(2048), 'Limits: 1 s, body up to 2 KiB.')
  assert.equal(await read(0), 'Limits: 1 s.')
})
