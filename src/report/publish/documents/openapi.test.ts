import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { BASE_URL, publishSample } from '../../../../test/report/publish-sample.ts'
import { BUSY, sampleRun } from '../../../../test/report/sample-run.ts'
import { sampleService } from '../../../../test/report/sample-service.ts'
import { onEveryState } from '../../../../test/state/every-state.ts'
import { CLAIM_ROUTES } from '../claims/claim-routes.ts'
import { MERCHANT_ROUTES } from '../merchant/merchant-routes.ts'
import { RANKING_ROUTES } from '../ranking/ranking-routes.ts'
import { WEEK_ROUTES } from '../ranking/week-routes.ts'
import { DOCUMENT_ROUTES } from './document-routes.ts'
import { FEED_ROUTES } from './feed-routes.ts'
import { buildReportOpenApi } from './openapi.ts'

const WEEK = '2026-11-15'
const ROUTES = [
  ...RANKING_ROUTES,
  ...MERCHANT_ROUTES,
  ...WEEK_ROUTES,
  ...FEED_ROUTES,
  ...CLAIM_ROUTES,
  ...DOCUMENT_ROUTES,
]
/** Not machine-readable. */
const PICTURES = ['/style.css', '/icon.svg']

type Path = {
  readonly get?: {
    readonly responses: {
      readonly 200: {
        readonly content: Readonly<Record<string, { readonly schema: { readonly $ref?: string } }>>
      }
    }
  }
}

const FORMATS = {
  date: (text: string) => /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text)),
  'date-time': (text: string) => !Number.isNaN(Date.parse(text)),
  uri: (text: string) => URL.canParse(text),
}

onEveryState('every JSON response matches its schema in the OpenAPI document', async (state) => {
  await publishSample(state)
  await publishSample(state, sampleRun({ edition: WEEK }))
  const { app } = sampleService(state)
  const { paths, components } = JSON.parse(JSON.stringify(buildReportOpenApi(BASE_URL, '1.0.0')))
  const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true, formats: FORMATS })
  ajv.addVocabulary(['components'])
  const read = async (path: string): Promise<readonly unknown[]> => {
    const filled = path.replace('{address}', BUSY.address).replace('{week}', WEEK)
    const text = await (await app.request(`${filled}?q=weather`)).text()
    const documents = path.endsWith('.ndjson') ? text.trimEnd().split('\n') : [text]
    return documents.map((document) => JSON.parse(document))
  }
  const checked: string[] = []
  for (const [path, { get }] of Object.entries<Path>(paths)) {
    const [schema] = Object.values(get?.responses[200].content ?? {}).map((content) => content.schema)
    if (!schema?.$ref) continue
    const validate = ajv.compile({ $ref: schema.$ref, components })
    for (const answer of await read(path))
      assert.ok(validate(answer), `${path}: ${ajv.errorsText(validate.errors)}`)
    checked.push(path)
  }
  for (const path of ['/merchants.json', '/weeks.json', '/merchants/base/{address}/inputs.json'])
    assert.ok(checked.includes(path), path)
})

test('the OpenAPI document has every readable path except images and the stylesheet', () => {
  const offered = ROUTES.filter(({ answer }) => answer)
    .map(({ path }) => toTemplate(path))
    .filter((path) => !PICTURES.includes(path))
  const told = Object.keys(buildReportOpenApi(BASE_URL, '1.0.0').paths)
  assert.deepEqual(
    offered.filter((path) => !told.includes(path)),
    [],
  )
})

/** Converts a pattern of Hono's router to an OpenAPI path template. */
function toTemplate(path: string): string {
  const parameter = path.startsWith('/weeks/') ? '{week}' : '{address}'
  return path.replace(/:file\{.+?\}(?=\/|$)/, (pattern) =>
    pattern.endsWith('\\.json}') ? `${parameter}.json` : parameter,
  )
}
