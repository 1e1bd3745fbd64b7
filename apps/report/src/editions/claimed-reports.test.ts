import assert from 'node:assert/strict'
import { MERCHANT, merchantFigures, openClaiming, RIVAL } from '@tollbook/testing/report/claiming'
import { HOSTILE_TEXT, publishSample } from '@tollbook/testing/report/publish-sample'
import { laterFigures, sampleFigures } from '@tollbook/testing/report/sample-figures'
import { onEveryState, onSqliteState } from '@tollbook/testing/state/every-state'
import type { MerchantReport } from '@tollbook/verify/build/merchant-report'

const WEEK = '2026-11-15'
const LATER_WEEK = '2026-11-22'

onEveryState(
  'a claim appears in the newest window and in later weeks, never in a published one',
  async (state) => {
    const { app, claim } = await openClaiming(state)
    const text = async (query = '', address: string = MERCHANT) =>
      (await app.request(`/merchants/base/${address}.json${query}`)).text()
    const isClaimed = async (query?: string, address?: string) =>
      (JSON.parse(await text(query, address)) as MerchantReport).claimed
    const publish = (run = sampleFigures({ merchants: merchantFigures })) => publishSample(state, run)
    await publish(sampleFigures({ edition: WEEK, merchants: merchantFigures }))
    const published = await text(`?week=${WEEK}`)

    await claim()
    assert.equal(await isClaimed(), false)
    // Published again: only the merchant's own report is written.
    assert.equal((await publish()).written, 1)
    assert.deepEqual([await isClaimed(), await isClaimed('', RIVAL)], [true, false])
    await publish(sampleFigures({ edition: WEEK, merchants: merchantFigures }))
    assert.equal(await text(`?week=${WEEK}`), published)
    await publish(laterFigures(302_400, { edition: LATER_WEEK, merchants: merchantFigures }))
    assert.equal(await isClaimed(`?week=${LATER_WEEK}`), true)

    await claim({ action: 'withdraw' })
    await publish()
    assert.equal(await isClaimed(), false)
    assert.equal(await isClaimed(`?week=${LATER_WEEK}`), true)
  },
)

onEveryState('a merchant whose report is frozen can still claim it', async (state) => {
  const { app, claim } = await openClaiming(state)
  const read = async () =>
    (await (await app.request(`/merchants/base/${MERCHANT}.json`)).json()) as MerchantReport
  const publish = () => publishSample(state, laterFigures(302_400, { merchants: merchantFigures.slice(1) }))
  await publish()
  const { frozen, claimed, ...rest } = await read()
  assert.deepEqual([frozen, claimed], [true, false])
  await claim()
  await publish()
  assert.deepEqual(await read(), { ...rest, frozen: true, claimed: true })
  await claim({ action: 'withdraw' })
  await publish()
  assert.deepEqual(await read(), { ...rest, frozen: true, claimed: false })
})

onSqliteState(
  'a hostile statement is inert on the page, and a page with it has its own validator',
  async (state) => {
    const { app, claim } = await openClaiming(state)
    const open = () => app.request(`/merchants/base/${MERCHANT}`)
    const before = await open()
    assert.ok((await before.text()).includes(`/claims?address=${MERCHANT}`))
    await claim({ statement: HOSTILE_TEXT, disclosures: [RIVAL] })
    const page = await open()
    assert.notEqual(page.headers.get('etag'), before.headers.get('etag'))
    assert.match(page.headers.get('content-security-policy') ?? '', /^default-src 'none'; style-src 'self'/)
    const text = await page.text()
    assert.doesNotMatch(text, /<script|<img src=x|<\/td><script/)
    assert.ok(
      text.includes('<blockquote class="panel" dir="auto">&lt;/td&gt;&lt;script&gt;alert(1)&lt;/script&gt;'),
    )
    assert.ok(text.includes(`<li class="mono">${RIVAL}</li>`))
    await claim({ action: 'withdraw' })
    const after = await open()
    assert.equal(after.headers.get('etag'), before.headers.get('etag'))
    assert.ok(
      Date.parse(after.headers.get('last-modified') ?? '') >
        Date.parse(before.headers.get('last-modified') ?? ''),
    )
  },
)
