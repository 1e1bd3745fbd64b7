import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findIssues, findIssuesBetween } from '@tollbook/endpoints/load'
import { publishSample } from '@tollbook/testing/report/publish-sample'
import { BUSY, QUIET, sampleFigures } from '@tollbook/testing/report/sample-figures'
import { sampleService } from '@tollbook/testing/report/sample-service'
import { onEveryState } from '@tollbook/testing/state/every-state'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { REPORT_ENDPOINTS } from '../service.ts'

const WEEK = '2026-11-15'
type Path = {
  readonly get?: {
    readonly responses: {
      readonly 200: {
        readonly content: Readonly<
          Record<string, { readonly schema: { readonly type?: string; readonly $ref?: string } }>
        >
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
  await publishSample(state, sampleFigures({ edition: WEEK }))
  const { app } = sampleService(state)
  const { paths, components } = JSON.parse(await (await app.request('/openapi.json')).text())
  const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true, formats: FORMATS })
  ajv.addKeyword('components')
  const read = async (path: string): Promise<readonly unknown[]> => {
    const filled = path.replace('{address}', BUSY.address).replace('{week}', WEEK)
    const text = await (
      await app.request(
        `${filled}?q=weather&query=weather&payTo=${BUSY.address}&merchants=${BUSY.address},${QUIET.address}`,
      )
    ).text()
    const documents = path.endsWith('.ndjson') ? text.trimEnd().split('\n') : [text]
    return documents.map((document) => JSON.parse(document))
  }
  const checked: string[] = []
  for (const [path, { get }] of Object.entries<Path>(paths)) {
    const [found] = Object.values(get?.responses[200].content ?? {}).map((content) => content.schema)
    const schema = found?.$ref ? components.schemas[found.$ref.split('/').at(-1) ?? ''] : found
    // Alerts are for the owner of a session.
    if (schema?.type !== 'object' || path === '/claims/alerts') continue
    const validate = ajv.compile({ ...schema, components })
    for (const answer of await read(path))
      assert.ok(validate(answer), `${path}: ${ajv.errorsText(validate.errors)}`)
    checked.push(path)
  }
  for (const path of ['/merchants.json', '/weeks.json', '/merchants/base/{address}/inputs.json'])
    assert.ok(checked.includes(path), path)
})

test('the endpoints have no issue that would keep them from being loaded', () => {
  const issues = REPORT_ENDPOINTS.flatMap((endpoint) =>
    findIssues(endpoint).map((issue) => `${endpoint.id}: ${issue}`),
  )
  assert.deepEqual([...issues, ...findIssuesBetween(REPORT_ENDPOINTS)], [])
})
