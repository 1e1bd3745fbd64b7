import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as z from 'zod'
import { defineEndpoint, defineService, type Endpoint, json, type ServiceDeclaration } from './declare.ts'
import { EndpointError } from './load.ts'
import { testEndpoints } from './testing.ts'

const base = {
  method: 'GET',
  summary: 'Sum of two numbers',
  description: 'Adds two whole numbers.',
  input: z.object({ a: z.coerce.number().int(), b: z.coerce.number().int() }),
  output: z.object({ sum: z.number() }),
  example: { input: { a: 1, b: 2 }, output: { sum: 3 } },
  limits: { bodyBytes: 0, timeoutMs: 1_000 },
} as const

const exact = defineEndpoint({
  ...base,
  id: 'add',
  path: '/add',
  pricing: { kind: 'exact', priceUsd: '0.001' },
  handle: ({ input: { a, b } }) => json({ sum: a + b }),
})
const metered = defineEndpoint({
  ...base,
  id: 'add-metered',
  method: 'POST',
  path: '/metered/{a}',
  effect: 'none',
  limits: { bodyBytes: 1_000, timeoutMs: 1_000 },
  pricing: { kind: 'metered', priceUsd: '0.01', minimumUsd: '0.001', isExactFirst: false },
  handle: ({ input: { a, b } }) => json({ sum: a + b }, { charge: 2_000n }),
})
const free = defineEndpoint({
  ...base,
  id: 'add-free',
  path: '/free',
  pricing: { kind: 'free' },
  handle: ({ input: { a, b } }) => json({ sum: a + b }),
})

const declare = (service: Partial<ServiceDeclaration>) =>
  defineService({ name: 'sums', title: 'Sums', description: 'Adds numbers.', endpoints: [], ...service })

async function issuesOf(service: ServiceDeclaration): Promise<readonly string[]> {
  try {
    await testEndpoints(service)
    return []
  } catch (error) {
    assert.ok(error instanceof EndpointError, `${error}`)
    return error.issues
  }
}

test('fixed, metered and free endpoints with right examples pass, with the ports of the service', async () => {
  const events: string[] = []
  const ported = defineEndpoint({
    ...base,
    id: 'ported',
    path: '/ported',
    pricing: { kind: 'exact', priceUsd: '0.02' },
    handle: ({ ports }) => json({ sum: (ports as { three: number }).three }),
  })
  await testEndpoints(
    declare({
      endpoints: [exact, metered, free, ported],
      ports: ({ baseUrl, signal, onClose }) => {
        onClose(() => void events.push(`closed ${signal.aborted}`))
        events.push(`opened at ${baseUrl}`)
        return { three: 3 }
      },
    }),
  )
  assert.deepEqual(events, ['opened at https://service.example', 'closed true'])
})

test('each wrong example is an issue of its endpoint', async () => {
  const broken = defineEndpoint({
    ...base,
    id: 'broken',
    path: '/broken',
    pricing: { kind: 'exact', priceUsd: '0.001' },
    handle: () => {
      throw new Error('broken')
    },
  })
  const wrongAnswer = defineEndpoint({
    ...base,
    id: 'wrong-answer',
    path: '/wrong',
    pricing: { kind: 'exact', priceUsd: '0.001' },
    // As a module in JavaScript may.
    handle: () => json({ sum: 'three' } as unknown as { sum: number }),
  })
  const input = {
    ...exact,
    id: 'wrong-input',
    path: '/input',
    example: { input: { a: 'x' }, output: { sum: 3 } },
  } as const
  const output = {
    ...exact,
    id: 'wrong-output',
    path: '/output',
    example: { input: { a: 1, b: 2 }, output: {} },
  } as const
  const away = {
    ...exact,
    id: 'away',
    path: '/away',
    availability: () =>
      ({ isAvailable: false, problem: { code: 'not_configured', detail: 'No key is set.' } }) as const,
  } satisfies Endpoint
  const issues = await issuesOf(declare({ endpoints: [broken, wrongAnswer, input, output, away] }))
  const expected = [
    /^broken: the call of its example got 500 instead of 200: broken$/,
    /^wrong-answer: its answer does not fit its output schema: /,
    /^wrong-input: example.input is not valid: /,
    /^wrong-output: example.output does not fit its schema: /,
    /^away: it is not available: No key is set\.$/,
  ]
  assert.equal(issues.length, expected.length, issues.join('\n'))
  for (const [at, pattern] of expected.entries()) assert.match(issues[at] ?? '', pattern)
})

test('a service that cannot be served is not called', async () => {
  assert.deepEqual(await issuesOf(declare({ endpoints: [exact, { ...exact, id: 'other' }] })), [
    'GET /add: this route is declared more than once',
  ])
})
