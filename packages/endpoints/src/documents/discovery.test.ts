import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestApp } from '@tollbook/testing/catalogue/test-app'
import * as z from 'zod'
import { json } from '../answer.ts'
import { type Availability, defineEndpoint } from '../endpoint.ts'

const CATALOGUES = ['/discovery/resources', '/listing.json', '/.well-known/x402', '/openapi.json'] as const
const PATH = '/api/picture'

test('an endpoint that is not configured is in no catalogue', async () => {
  let availability: Availability = { isAvailable: true }
  const picture = defineEndpoint({
    id: 'picture',
    method: 'GET',
    path: PATH,
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

  for (const path of CATALOGUES) assert.ok((await read(path)).includes(PATH), path)

  availability = { isAvailable: false, problem: { code: 'not_configured', detail: 'Set TOLLBOOK_X.' } }
  for (const path of CATALOGUES) assert.ok(!(await read(path)).includes(PATH), path)

  // What is down for a moment remains listed.
  availability = { isAvailable: false, problem: { code: 'unavailable', detail: 'No upstream answers.' } }
  for (const path of CATALOGUES) assert.ok((await read(path)).includes(PATH), path)
})
