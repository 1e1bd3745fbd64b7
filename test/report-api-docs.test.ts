import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { publishSample } from '@tollbook/testing/report/publish-sample'
import { BUSY, QUIET, sampleFigures } from '@tollbook/testing/report/sample-figures'
import { sampleService } from '@tollbook/testing/report/sample-service'
import { openTestState } from '@tollbook/testing/state/open-test-state'

const text = readFileSync('docs/report-api.md', 'utf8')
/** The requests of the examples: everything behind `$R`. */
const paths = [...text.matchAll(/^(?:curl|T=\$\(curl) .*?"?\$R(\/[^\s"]*)/gm)].map((match) => match[1] ?? '')

test('every example of docs/report-api.md is answered', async () => {
  const state = await openTestState()
  await publishSample(state)
  await publishSample(state, sampleFigures({ edition: '2026-11-15' }))
  const { app } = sampleService(state)
  assert.ok(paths.length > 20)
  for (const path of paths) {
    const response = await app.request(
      path.replace('$A', BUSY.address).replace('$B', QUIET.address).replace('$W', '2026-11-15'),
    )
    assert.equal(response.status, 200, path)
  }
  await state.close()
})

test('docs/report-api.md has an example of every path that reads', async () => {
  const state = await openTestState()
  const { app } = sampleService(state)
  const shown = new Set(
    paths.map((path) => path.replace('$A', '{address}').replace('$W', '{week}').replace(/\?.*/, '')),
  )
  const { paths: offered } = (await (await app.request('/openapi.json')).json()) as {
    readonly paths: Readonly<Record<string, object>>
  }
  // docs/claims.md describes what needs the token of a session.
  const reading = Object.entries(offered).filter(
    ([path, operations]) => 'get' in operations && path !== '/claims/alerts',
  )
  const missing = reading.map(([path]) => path).filter((path) => !shown.has(path))
  assert.deepEqual(missing, [])
  await state.close()
})
