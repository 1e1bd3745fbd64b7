import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as z from 'zod'
import { defineEndpoint, defineService, json } from './declare.ts'
import { findServiceIssues } from './service-issues.ts'

const add = defineEndpoint({
  id: 'add',
  method: 'GET',
  path: '/add',
  pricing: { kind: 'exact', priceUsd: '0.01' },
  summary: 'Sum',
  description: 'Adds two numbers.',
  input: z.object({ a: z.number(), b: z.number() }),
  output: z.object({ sum: z.number() }),
  example: { input: { a: 1, b: 2 }, output: { sum: 3 } },
  limits: { bodyBytes: 0, timeoutMs: 1_000 },
  handle: ({ input }) => json({ sum: input.a + input.b }),
})
const sums = defineService({
  name: 'sums',
  title: 'Sums',
  description: 'Adds.',
  endpoints: [add],
  port: 4031,
})

test('a right service has no issue', () => {
  assert.deepEqual(findServiceIssues(sums), [])
})

test('each issue names the member', () => {
  const price = (priceUsd: unknown) => ({
    ...sums,
    endpoints: [{ ...add, pricing: { kind: 'exact', priceUsd } }],
  })
  for (const [value, issue] of [
    ['sums', 'it is not an object of defineService'],
    [
      { ...sums, name: 'My Sums' },
      'name must be lower-case letters, digits and hyphens, such as \'weather\', not "My Sums"',
    ],
    [{ ...sums, title: undefined }, 'title must be text, not undefined'],
    [{ ...sums, port: '80' }, 'port must be a number from 0 to 65535, not "80"'],
    [{ ...sums, endpoints: {} }, 'endpoints must be a list of values of defineEndpoint'],
    [{ ...sums, endpoints: [() => {}] }, 'endpoints[0] is not a value of defineEndpoint, but a function'],
    [
      { ...sums, endpoints: [{ ...add, handle: undefined }] },
      'add: handle must be a function, not undefined',
    ],
    [
      { ...sums, endpoints: [{ ...add, input: {} }] },
      'add: input must be a z.object of zod 4, not an object',
    ],
    [{ ...sums, tools: ['subtract'] }, 'tools: there is no endpoint "subtract"'],
    [
      price('$0.01'),
      "add: its price must be decimal text in dollars without a sign, such as '0.01', not '$0.01'",
    ],
    [price(0.01), "add: its price must be decimal text in dollars without a sign, such as '0.01', not 0.01"],
    [price('0'), "add: its price must be above 0; a free endpoint declares kind 'free'"],
    [
      { ...sums, endpoints: [add, { ...add, id: 'again' }] },
      'GET /add: this route is declared more than once',
    ],
    [{ ...sums, endpoints: [add, { ...add, path: '/sum' }] }, 'add: this id is used more than once'],
  ] as const)
    assert.deepEqual(findServiceIssues(value), [issue])
  assert.match(
    findServiceIssues({ ...sums, endpoint: add }).join(),
    /^endpoint is no member of a service; it has name, /,
  )
})
