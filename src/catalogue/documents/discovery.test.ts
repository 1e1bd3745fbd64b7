import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as z from 'zod'
import { createTestApp } from '../../../test/catalogue/test-app.ts'
import { json } from '../answer.ts'
import { type Availability, defineEndpoint } from '../endpoint.ts'

const CATALOGUES = ['/discovery/resources', '/listing.json', '/.well-known/x402'] as const
const RESOURCE = 'https://test.example/api/picture'

test('an endpoint that is not configured is in no catalogue, and OpenAPI describes it without a price', async () => {
  let availability: Availability = { isAvailable: true }
  const picture = defineEndpoint({
    id: 'picture',
    method: 'GET',
    path: '/api/picture',
    summary: 'Picture',
    description: 'Makes a picture.',
    pricing: { kind: 'exact', priceUsd: '0.07' },
    input: z.object({}),
    output: z.object({ url: z.string() }),
    limits: { bodyBytes: 1500, timeoutMs: 2000 },
    example: { input: {}, output: { url: '' } },
    availability: () => availability,
    handle: () => json({ url: '' }),
  })
  const app = createTestApp([picture])
  const read = async (path: string) => await (await app.request(path)).text()
  const readOperation = async () => JSON.parse(await read('/openapi.json')).paths['/api/picture'].get

  for (const path of CATALOGUES) assert.ok((await read(path)).includes(RESOURCE), path)
  assert.equal((await readOperation())['x-payment-info'].price.amount, '0.07')

  availability = { isAvailable: false, problem: { code: 'not_configured', detail: 'Set TOLLBOOK_X.' } }
  for (const path of CATALOGUES) assert.ok(!(await read(path)).includes(RESOURCE), path)
  const { description, security, ...operation } = await readOperation()
  assert.equal(description, 'Not configured here: answers 503, unpaid. Makes a picture.')
  assert.deepEqual([security, operation['x-payment-info']], [undefined, undefined])

  // What is down for a moment remains listed.
  availability = { isAvailable: false, problem: { code: 'unavailable', detail: 'No upstream answers.' } }
  for (const path of CATALOGUES) assert.ok((await read(path)).includes(RESOURCE), path)
})
