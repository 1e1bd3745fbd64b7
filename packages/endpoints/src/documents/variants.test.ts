import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as z from 'zod'
import { json } from '../answer.ts'
import { defineEndpoint, type Endpoint } from '../endpoint.ts'
import { groupSamePrice } from './variants.ts'

function declare(id: string, priceUsd: string, variant?: Endpoint['variant']): Endpoint {
  return defineEndpoint({
    id,
    method: 'POST',
    path: `/${id}`,
    pricing: { kind: 'exact', priceUsd },
    summary: id,
    description: id,
    input: z.object({}),
    output: z.object({}),
    example: { input: {}, output: {} },
    limits: { bodyBytes: 100, timeoutMs: 1000 },
    handle: () => json({}),
    ...(variant && { variant }),
  })
}

const shown = (endpoints: readonly Endpoint[]) =>
  groupSamePrice(endpoints).map(({ endpoint, others }) => [endpoint.id, ...others.map(({ id }) => id)])

const base = declare('base', '0.01')
const dear = declare('dear', '0.02', { of: 'base', name: 'dear' })
const same = declare('same', '0.01', { of: 'base', name: 'same' })
const [one, two] = ['one', 'two'].map((name) =>
  declare(name, `0.0${name.length}`, { of: 'base', name, isBrief: true }),
) as [Endpoint, Endpoint]

test('a variant of another price is an operation of its own, unless it is brief', () => {
  assert.deepEqual(shown([base, dear, same, two, one]), [['base', 'one', 'same', 'two'], ['dear']])
})

test('without their endpoint, brief variants are one operation, and others one each', () => {
  assert.deepEqual(shown([dear, two, same, one]), [['dear'], ['two', 'one'], ['same']])
})
