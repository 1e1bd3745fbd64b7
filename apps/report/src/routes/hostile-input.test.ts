import assert from 'node:assert/strict'
import { publishSample } from '@tollbook/testing/report/publish-sample'
import { BUSY } from '@tollbook/testing/report/sample-figures'
import { sampleService } from '@tollbook/testing/report/sample-service'
import { onEveryState } from '@tollbook/testing/state/every-state'

const HIGHEST = Number.MAX_SAFE_INTEGER

onEveryState('no text and no number of a query makes the database fail', async (state) => {
  await publishSample(state)
  const { app } = sampleService(state)
  for (const [path, status] of [
    ['/search?q=%00', 200],
    ['/search?q=a%00b', 200],
    ['/search?q=%ED%A0%80', 200],
    [`/merchants.json?cursor=${toCursor('real_usd', [1, 1, '\0'])}`, 400],
    [`/merchants.json?cursor=${toCursor('real_usd', [HIGHEST, HIGHEST, 'z'])}`, 200],
    [`/search?q=a&cursor=${toCursor('relevance', [HIGHEST, HIGHEST, HIGHEST, 'z'])}`, 200],
    [`/search?q=a&cursor=${toCursor('relevance', [-HIGHEST, 0, 0, ''])}`, 200],
    [`/merchants.json?week=2026-11-15&revision=${HIGHEST}`, 404],
    [`/preflight?payTo=${BUSY.address}&resource=http://a/%00`, 200],
  ] as const) {
    const answer = await app.request(path)
    assert.equal(answer.status, status, `${path}: ${await answer.text()}`)
  }
})

onEveryState('a search with the character NUL finds what it finds without', async (state) => {
  await publishSample(state)
  const { app } = sampleService(state)
  const read = async (q: string) => (await (await app.request(`/search?q=${q}`)).json()) as unknown
  assert.deepEqual(await read(`${BUSY.address}%00`), await read(BUSY.address))
})

onEveryState('only keys of an item itself are extensions', async (state) => {
  await publishSample(state)
  const { app } = sampleService(state)
  for (const [extension, isFound] of [
    ['tollbook', true],
    ['toString', false],
    ['__proto__', false],
  ] as const) {
    const answer = await app.request(`/discovery/resources?extensions=${extension}`)
    const { items } = (await answer.json()) as { readonly items: readonly unknown[] }
    assert.equal(items.length > 0, isFound, extension)
  }
})

/** A cursor that the service did not issue. */
function toCursor(sort: string, values: readonly (number | string)[]): string {
  return Buffer.from(JSON.stringify([sort, 'desc', 'after', values])).toString('base64url')
}
