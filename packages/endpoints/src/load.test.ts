import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { temporaryFolder } from '@tollbook/testing/temporary-folder'
import { EndpointError, loadEndpoints } from './load.ts'

const DECLARE = new URL('endpoint.ts', import.meta.url).href
const ZOD = import.meta.resolve('zod')

/** Writes endpoint modules into a fresh folder; each value is the text between the imports and the end. */
function folderOf(modules: Record<string, string>): URL {
  const root = temporaryFolder('load')
  for (const [folder, text] of Object.entries(modules)) {
    const file = join(root, 'endpoints', folder, 'endpoint.ts')
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(
      file,
      `import * as z from '${ZOD}'\nimport { defineEndpoint } from '${DECLARE}'\n
      const declare = (own: object) => defineEndpoint({ id: 'a', method: 'GET', path: '/api/a', summary: 'A',
        pricing: { kind: 'exact', priceUsd: '0.001' }, description: 'A.', input: z.object({ row: z.string().optional() }),
        output: z.object({}), example: { input: {}, output: {} }, limits: { bodyBytes: 0, timeoutMs: 1000 },
        effect: 'none',
        handle: () => ({ kind: 'json', body: {}, status: 200, headers: {} }), ...own } as never)\n${text}`,
    )
  }
  return pathToFileURL(`${root}/`)
}

async function issuesOf(modules: Record<string, string>): Promise<readonly string[]> {
  try {
    await loadEndpoints(folderOf(modules))
    return []
  } catch (error) {
    assert.ok(error instanceof EndpointError, String(error))
    return error.issues
  }
}

test('a folder is a path; braces stand for a parameter or a fixed segment', async () => {
  const endpoints = await loadEndpoints(
    folderOf({
      'api/a': `export const a = declare({})`,
      'api/rows/{row}': `export const get = declare({ id: 'rows.get', path: '/api/rows/{row}' })
        export const put = declare({ id: 'rows.put', method: 'PUT', path: '/api/rows/{row}' })`,
      'v1/_t/{tier}': `export const tiers = ['x', 'y'].map((tier) => declare({ id: 'tier-' + tier, path: '/v1/_t/' + tier }))`,
    }),
  )
  assert.deepEqual(
    endpoints.map((endpoint) => endpoint.id),
    ['a', 'rows.get', 'rows.put', 'tier-x', 'tier-y'],
  )
})

test('a paid endpoint whose method is not GET must declare its effect', async () => {
  const silent = await issuesOf({
    'api/a': `export const a = declare({ method: 'POST', effect: undefined })`,
    'api/b': `export const b = declare({ id: 'b', path: '/api/b', effect: undefined })`,
    'api/c': `export const c = declare({ id: 'c', path: '/api/c', method: 'POST', pricing: { kind: 'free' }, effect: undefined })`,
  })
  assert.deepEqual(silent, ["a: it must declare its effect: 'none', 'staged' or 'settled-first'"])
  const metered = await issuesOf({
    'api/a': `export const a = declare({ effect: 'settled-first', pricing: { kind: 'metered', priceUsd: '0.02', minimumUsd: '0.01', isExactFirst: true } })`,
  })
  assert.deepEqual(metered, ["a: effect 'settled-first' requires a fixed price"])
})

test('a folder without endpoints returns none', async () => {
  assert.deepEqual(await loadEndpoints(pathToFileURL(`${temporaryFolder('load')}/`)), [])
})

test('every issue of every endpoint is reported at once', async () => {
  const issues = await issuesOf({
    'api/a': `export const a = declare({}); export const limit = 5`,
    'api/b': `export const b = declare({})`,
    'api/{row}': `export const c = declare({ id: 'c', path: '/api/{line}', description: '${'x'.repeat(241)}',
      pricing: { kind: 'exact', priceUsd: '0' }, secrets: ['token'], headerFields: { 'X-Key': 'key' }, limits: { bodyBytes: -1, timeoutMs: 0 } })`,
    'api/d': `export const d = declare({ id: 'd', path: '/api/d', method: 'get', input: z.string() })`,
    'api/e': `export const e = declare({ id: 'e', path: '/api/e', pricing: { kind: 'metered', priceUsd: '0.01', minimumUsd: '0.02', isExactFirst: true } })`,
    'api/f': ``,
  })
  assert.deepEqual(issues, [
    '/api/a: the export limit is not an endpoint',
    'a: its path /api/a is not its folder /api/b',
    'd: its input is not a z.object',
    'e: its minimum charge must be above 0 and at most the price',
    '/api/f: nothing is exported',
    'c: its path /api/{line} is not its folder /api/{row}',
    'c: its description must have 1 to 240 characters, not 241',
    'c: limits.bodyBytes must be a whole number up to 67108864',
    'c: limits.timeoutMs must be a whole number from 1 to 1800000',
    'c: its input lacks the path parameter line',
    'c: its input lacks the secret token',
    'c: its header X-Key must be lower case and begin with x-',
    'c: its input lacks the field key of a header',
    "c: its price must be above 0; a free endpoint declares kind 'free'",
    'a: this id is used more than once',
    'GET /api/a: this route is declared more than once',
  ])
})

test('a price with more than six decimals is an issue', async () => {
  const issues = await issuesOf({
    'api/a': `export const a = declare({ pricing: { kind: 'exact', priceUsd: '0.0000001' } })`,
  })
  assert.deepEqual(issues, ['a: its price is not a dollar amount with at most six decimals: 0.0000001'])
})

test('a variant has the fields of an existing endpoint', async () => {
  const issues = await issuesOf({
    'api/a': `export const a = declare({})`,
    'api/b': `export const b = declare({ id: 'b', path: '/api/b', variant: { of: 'c', name: 'twice' } })`,
  })
  assert.deepEqual(issues, ['b: it is not a variant of c, which is absent or has other fields'])
})

test('one path cannot name its parameter in two ways', async () => {
  const issues = await issuesOf({
    'api/{row}': `export const a = declare({ id: 'a', path: '/api/{row}' })`,
    'api/{line}': `export const b = declare({ id: 'b', method: 'PUT', path: '/api/{line}', input: z.object({ line: z.string() }) })`,
  })
  assert.deepEqual(issues, ['/api/{}: its parameters are named in more than one way'])
})
