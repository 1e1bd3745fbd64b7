import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type OpenTier, openTiers } from '@tollbook/models/tiers/open-tiers'
import { tierFile } from '@tollbook/models/tiers/tier-file'
import { createSafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import { issuesOf, runEndpoint } from '@tollbook/testing/catalogue/run-endpoint'
import { startChatUpstream } from '@tollbook/testing/models/chat-upstream'
import { servePages } from '@tollbook/testing/servers/serve-pages'
import { createWorkerPool } from '@tollbook/workers/pool'
import { scrape } from './endpoint.ts'
import { findSchemaIssue } from './extract-json.ts'

const SCHEMA = {
  type: 'object',
  properties: { name: { type: 'string' }, price: { type: 'number', minimum: 0 } },
  required: ['name', 'price'],
  additionalProperties: false,
}
const workers = createWorkerPool({ threads: 1, deadlineScale: 100 })
const fetch = createSafeFetch({ allowPrivateNetwork: true })
let site: Awaited<ReturnType<typeof servePages>>
let upstream: Awaited<ReturnType<typeof startChatUpstream>>
let tier: OpenTier
before(async () => {
  site = await servePages({ '/kettle': '<title>Kettle</title><p>The kettle costs 49.90.</p>' })
  upstream = await startChatUpstream()
  const tiers = { 'tier-1': { upstreams: [{ base_url: upstream.url, model: 'm' }] } }
  const opened = await openTiers(tierFile.parse({ tiers }), { userAgent: 'test' })
  tier = opened.get('tier-1') ?? assert.fail()
})
after(async () => {
  site.close()
  await upstream.close()
  await workers.close()
})

const answering = (content: string) =>
  upstream.answerWith((_, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ choices: [{ message: { role: 'assistant', content } }] }))
  })
const ask = (more = {}) =>
  runEndpoint(
    scrape,
    { url: `${site.url}/kettle`, schema: SCHEMA, ...more },
    { ports: { fetch, workers, extractionTier: tier } },
  )

test('a model fills the schema from the page', async () => {
  answering('```json\n{"name":"Kettle","price":49.9}\n```')
  const { json } = await ask({ prompt: 'Prices are in euros.' })
  assert.deepEqual(json, { name: 'Kettle', price: 49.9 })
  const { messages, response_format } = upstream.calls.at(-1)?.body ?? assert.fail()
  assert.match(messages[1].content, /^Prices are in euros\.[\s\S]*Kettle[\s\S]*The kettle costs 49\.90\./)
  assert.deepEqual(response_format.json_schema.schema, SCHEMA)
})

test('an answer that does not match the schema is not charged', async () => {
  for (const content of ['{"name":"Kettle","price":-1}', '{"name":"Kettle"}', 'Sorry.', '[]']) {
    answering(content)
    await assert.rejects(ask(), {
      message: 'upstream_failed: The answer of the model does not match schema.',
    })
  }
})

test('without a model a schema is refused as not configured before payment', () => {
  const url = 'https://example.com/'
  const issues = (provided: object) =>
    issuesOf(scrape, provided).map(({ parameter, code }) => [parameter, code])
  assert.deepEqual(issues({ url, schema: SCHEMA }), [['schema', 'not_configured']])
  assert.deepEqual(issues({ urls: [url], schema: SCHEMA }), [['schema', undefined]])
  assert.deepEqual(issues({ url, prompt: 'x' }), [['prompt', undefined]])
})

test('schemas that cost much to check are refused', () => {
  assert.equal(findSchemaIssue(SCHEMA), null)
  const object = (property: unknown) => ({ type: 'object', properties: { property } })
  const issue = (property: unknown) => findSchemaIssue(object(property))
  assert.equal(issue({ type: 'string', pattern: '(a+)+$' }), 'must not use the keyword pattern')
  assert.equal(issue({ $ref: '#' }), 'must not use the keyword $ref')
  assert.equal(issue(null), 'is not a JSON Schema')
  assert.equal(issue({ type: 'sting' }), 'is not a JSON Schema')
  assert.equal(findSchemaIssue({ type: 'array' }), 'must have the type object')
  assert.match(issue({ description: 'x'.repeat(8_000) }) ?? '', /^must have at most 8000 characters/)
  assert.match(
    issue({ anyOf: Array.from({ length: 201 }, () => true) }) ?? '',
    /^must have at most 200 parts/,
  )
  let deep: unknown = {}
  for (let depth = 0; depth < 300; depth += 1) deep = { items: deep }
  assert.match(issue(deep) ?? '', /^must have at most 200 parts/)
})
