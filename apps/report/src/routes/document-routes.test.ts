import assert from 'node:assert/strict'
import { Validator } from '@seriousme/openapi-schema-validator'
import { BASE_URL, publishSample } from '@tollbook/testing/report/publish-sample'
import { BUSY, laterFigures, QUIET, sampleFigures } from '@tollbook/testing/report/sample-figures'
import { sampleService } from '@tollbook/testing/report/sample-service'
import { onEveryState, onSqliteState } from '@tollbook/testing/state/every-state'
import type { MerchantReport } from '@tollbook/verify/build/merchant-report'
import { METHOD_VERSION, SCREENS } from '@tollbook/verify/screen/screens'
import { toFormerNames } from '@tollbook/verify/screen/threshold-names'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { loadReport } from '../editions/stored-reports.ts'
import type { Method } from '../served/method.ts'
import { buildReportSchema } from './document-routes.ts'

type OpenApi = {
  readonly paths: Readonly<
    Record<string, { readonly get?: { readonly responses: { readonly 200: { readonly content: object } } } }>
  >
}

const ID = `${BASE_URL}/schema/merchant-report-1.json`

function compile(): ValidateFunction {
  const ajv = new Ajv2020({ strict: true, allErrors: true, allowUnionTypes: true })
  ajv.addFormat('date', (text: string) => /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text)))
  ajv.addFormat('uri', (text: string) => URL.canParse(text))
  return ajv.compile(buildReportSchema(ID))
}

onEveryState('every published report matches the schema, including frozen ones', async (state) => {
  await publishSample(state)
  await publishSample(state, laterFigures(43_200, { merchants: [BUSY] }))
  const validate = compile()
  for (const address of [BUSY.address, QUIET.address]) {
    const report = JSON.parse((await loadReport(state, 'rolling', address))?.body ?? '') as MerchantReport
    assert.ok(validate(report), JSON.stringify(validate.errors))
    assert.ok(validate({ ...report, exchange_flow_note: null }))
    assert.ok(validate({ ...report, exchange_flow_note: 'A quarter came from an exchange.' }))
    for (const [field, value] of [
      ['schema_version', '2'],
      ['generated_at', '2026-11-15T12:00:05Z'],
      ['address', '0x12'],
      ['rank_by_real_revenue', 0],
      ['usd', '9.55'],
      ['top_buyer_share', 1.5],
      ['flags', { 'Not A Kind': { tx: 1, usd: 1 } }],
      ['daily', [{ date: '2026-13-01', tx: 1, usd: 1, real_usd: 1 }]],
      ['further', 1],
    ] as const) {
      assert.equal(validate({ ...report, [field]: value }), false, field)
    }
    const { badge: _badge, ...without } = report
    assert.equal(validate(without), false)
  }
})

onSqliteState('the OpenAPI document is valid', async (state) => {
  const document = JSON.parse(await (await sampleService(state).app.request('/openapi.json')).text())
  assert.deepEqual(await new Validator().validate(document), { valid: true })
})

onEveryState('every path of the OpenAPI document responds', async (state) => {
  await publishSample(state)
  await publishSample(state, sampleFigures({ edition: '2026-11-15' }))
  const { app } = sampleService(state)
  const { paths } = (await (await app.request('/openapi.json')).json()) as OpenApi
  for (const [path, operations] of Object.entries(paths)) {
    if (!operations.get) {
      // These paths accept no GET; the tests of claims, alerts and disputes send other requests.
      assert.notEqual((await app.request(path, { method: 'POST' })).status, 200, path)
      continue
    }
    // For the owner of a session.
    if (path === '/claims/alerts') continue
    const { get } = operations
    const response = await app.request(
      `${path.replace('{address}', BUSY.address).replace('{week}', '2026-11-15')}?q=weather&query=weather&payTo=${BUSY.address}&merchants=${BUSY.address},${QUIET.address}`,
    )
    assert.equal(response.status, 200, path)
    const [contentType = ''] = Object.keys(get.responses[200].content)
    assert.ok(response.headers.get('content-type')?.startsWith(contentType), path)
  }
})

onSqliteState('the service serves its documents', async (state) => {
  const { app } = sampleService(state)
  const documents = {
    '/methodology': 'text/html',
    '/problems': 'text/html',
    '/method.json': 'application/json',
    '/schema/merchant-report-1.json': 'application/schema+json',
    '/openapi.json': 'application/json',
    '/llms.txt': 'text/plain',
    '/.well-known/x402': 'application/json',
    '/discovery/resources': 'application/json',
    '/style.css': 'text/css',
    '/icon.svg': 'image/svg+xml',
  }
  for (const [path, contentType] of Object.entries(documents)) {
    const response = await app.request(path)
    assert.equal(response.status, 200, path)
    assert.ok(response.headers.get('content-type')?.startsWith(contentType), path)
    const tag = response.headers.get('etag') ?? ''
    assert.equal((await app.request(path, { headers: { 'if-none-match': tag } })).status, 304, path)
  }
  const schema = (await (await app.request('/schema/merchant-report-1.json')).json()) as { $id: string }
  assert.equal(schema.$id, ID)
})

onSqliteState('the method lists every screen with its thresholds, as JSON and as HTML', async (state) => {
  const { app } = sampleService(state)
  const method = (await (await app.request('/method.json')).json()) as Method
  assert.equal(method.version, METHOD_VERSION)
  assert.deepEqual(
    method.screens.map(({ kind, thresholds }) => [kind, thresholds]),
    SCREENS.map(({ kind, thresholds }) => [kind, { ...thresholds, ...toFormerNames(thresholds) }]),
  )
  // One cent, a hundred payments: the thresholds of the first version.
  const tiny = method.screens.find(({ kind }) => kind === 'tiny_repeat')
  assert.deepEqual(tiny?.thresholds, {
    max_amount_micro_usdc: 10_000,
    min_payments: 100,
    min_funded_percent: 10,
    // The names of version 3.
    most_amount_micro_usdc: 10_000,
    fewest_payments: 100,
    least_funded_percent: 10,
  })
  // Half of the money, as stated in the screen's own rule.
  const roundTrip = method.screens.find(({ kind }) => kind === 'round_trip')
  assert.deepEqual(roundTrip?.thresholds, { min_returned_percent: 50, least_returned_percent: 50 })
  assert.match(roundTrip?.rule ?? '', /at least 50%/)
  const [newest, ...older] = method.changes.map(({ version }) => Number(version))
  assert.equal(newest, Number(method.version))
  assert.deepEqual(
    older,
    Array.from({ length: older.length }, (_, at) => Number(method.version) - 1 - at),
  )
  for (const rule of [method.payment_rule, method.window_rule, method.rounding_rule]) {
    assert.ok(method.definitions.some(({ text }) => text === rule))
  }
  const page = await (await app.request('/methodology')).text()
  for (const { kind, title, explanation, innocentCauses } of SCREENS) {
    const texts = [`id="${kind}"`, title, explanation, ...innocentCauses]
    for (const text of texts) assert.ok(page.includes(text), text)
  }
  for (const text of [
    `Version ${method.version}.`,
    method.facilitator_list,
    method.window_rule.replaceAll('<', '&lt;'),
  ]) {
    assert.ok(page.includes(text), text)
  }
})

onSqliteState('every problem type links to its own section of the problems page', async (state) => {
  const { app } = sampleService(state)
  const problem = (await (await app.request('/nothing')).json()) as { type: string }
  const page = await (await app.request(new URL(problem.type).pathname)).text()
  assert.ok(page.includes(`id="${new URL(problem.type).hash.slice(1)}"`))
})
