import assert from 'node:assert/strict'
import { publishSample } from '@tollbook/testing/report/publish-sample'
import { BUSY, QUIET, sampleFigures } from '@tollbook/testing/report/sample-figures'
import { sampleService } from '@tollbook/testing/report/sample-service'
import { onSqliteState } from '@tollbook/testing/state/every-state'

const PAGES = ['/', '/search?q=0x', `/merchants/base/${BUSY.address}`]

onSqliteState('every page with figures of a local chain states that they are play money', async (state) => {
  await publishSample(state)
  const ask = async (isDemo: boolean, path: string) =>
    await (
      await sampleService(state, { isDemo }).app.request(path, { headers: { accept: 'text/html' } })
    ).text()
  for (const path of PAGES) {
    assert.match(await ask(true, path), /Demonstration\..*local test chain/, path)
    assert.doesNotMatch(await ask(false, path), /Demonstration|test chain/, path)
  }
  assert.match(await ask(true, PAGES[2] ?? ''), /test USDC/)
  assert.match(await ask(false, PAGES[2] ?? ''), /Base, USDC/)
})

onSqliteState('days of less than a cent get a note instead of an empty chart', async (state) => {
  // Three payments of a tenth of a cent: 0.003 dollars, which the report's days round to 0.00.
  const daily = [{ date: '2026-11-09', tx: 3, amount: 3_000n, realAmount: 3_000n }]
  const tiny = { ...QUIET, amount: 3_000n, realAmount: 3_000n, topBuyerAmount: 3_000n, daily }
  await publishSample(state, sampleFigures({ merchants: [tiny, BUSY] }))
  const { app } = sampleService(state)
  const page = async (address: string) => (await app.request(`/merchants/base/${address}`)).text()
  assert.match(await page(QUIET.address), /The revenue of each day is below one cent/)
  assert.doesNotMatch(await page(BUSY.address), /The revenue of each day is below one cent/)
})
