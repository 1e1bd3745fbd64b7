import assert from 'node:assert/strict'
import { onEveryState } from '../../../test/every-state.ts'
import { PUBLISHED_AT, publishSample } from '../../../test/publish-sample.ts'
import { BUSY, laterRun, QUIET, sampleRun } from '../../../test/sample-run.ts'
import { sampleService } from '../../../test/sample-service.ts'
import type { State } from '../../state/state.ts'
import { SORTS } from './ranking.ts'

const HTML = { headers: { accept: 'text/html' } }

async function open(state: State) {
  await publishSample(state)
  return sampleService(state)
}

onEveryState('the ranking is answered as JSON, as CSV and a page at a time', async (state) => {
  const { app } = await open(state)
  const first = await (await app.request('/merchants.json?limit=1')).json()
  const { next_cursor } = first as { next_cursor: string }
  assert.deepEqual(first, {
    week: '2026-11-15',
    merchants: [
      {
        rank: 1,
        address: BUSY.address,
        name: 'api.weather.example',
        tx: 132,
        usd: 9.55,
        real_tx: 11,
        real_usd: 7.35,
        buyers: 4,
        real_buyers: 2,
        flags: { self_pay: { tx: 1, usd: 1 }, tiny_repeat: { tx: 120, usd: 1.2 } },
      },
    ],
    next_cursor,
  })
  const second = await (await app.request(`/merchants.json?limit=1&cursor=${next_cursor}`)).json()
  const { merchants, next_cursor: end } = second as { merchants: { address: string }[]; next_cursor: null }
  assert.deepEqual([merchants.map(({ address }) => address), end], [[QUIET.address], null])
  assert.equal(
    await (await app.request('/merchants.csv')).text(),
    [
      'rank,address,name,tx,usd,real_tx,real_usd,buyers,real_buyers,flags',
      `1,${BUSY.address},api.weather.example,132,9.55,11,7.35,4,2,self_pay tiny_repeat`,
      `2,${QUIET.address},${QUIET.address},3,0.02,3,0.02,1,1,`,
      '',
    ].join('\r\n'),
  )
})

onEveryState('a search finds merchants by host, address and words of their endpoints', async (state) => {
  const { app } = await open(state)
  const search = async (q: string) => {
    const response = await app.request(`/search?${new URLSearchParams({ q })}`)
    const { merchants } = (await response.json()) as { merchants: { address: string }[] }
    return merchants.map(({ address }) => address)
  }
  assert.deepEqual(await search('WEATHER.example'), [BUSY.address])
  assert.deepEqual(await search('0x00000000000000000000000000000000000000B2'), [QUIET.address])
  assert.deepEqual(await search('forecast hour'), [BUSY.address])
  assert.deepEqual(await search('forecast nowhere'), [])
  assert.deepEqual(await search('%'), [BUSY.address], 'a percent sign stands in a listing, and only there')
  assert.deepEqual(await search('_'), [])
  assert.deepEqual(await search('\\'), [])
  assert.deepEqual((await search('')).length, 2)
})

onEveryState('the search of a browser is a page', async (state) => {
  const { app } = await open(state)
  const response = await app.request('/search?q=forecast', HTML)
  assert.equal(response.headers.get('content-type'), 'text/html; charset=utf-8')
  assert.equal(response.headers.get('vary'), 'Accept, Accept-Encoding')
  assert.ok((await response.text()).includes('api.weather.example'))
})

onEveryState('the ranking is as new as its publication', async (state) => {
  const { app } = await open(state)
  for (const path of ['/', '/merchants.json', '/merchants.csv', '/search?q=weather']) {
    const first = await app.request(path)
    assert.equal(first.headers.get('last-modified'), PUBLISHED_AT.toUTCString(), path)
    const since = { 'if-modified-since': PUBLISHED_AT.toUTCString() }
    assert.equal((await app.request(path, { headers: since })).status, 304, path)
    const tag = { 'if-none-match': first.headers.get('etag') ?? '' }
    assert.equal((await app.request(path, { headers: tag })).status, 304, path)
  }
  await publishSample(state, laterRun(30, { figures: [BUSY] }), new Date('2026-11-15T12:01:05Z'))
  const since = { 'if-modified-since': PUBLISHED_AT.toUTCString() }
  const changed = await app.request('/merchants.json', { headers: since })
  assert.equal(changed.status, 200)
  assert.equal(((await changed.json()) as { merchants: unknown[] }).merchants.length, 1)
})

onEveryState('merchants can be ordered by every figure, over pages, each once', async (state) => {
  const figures = Array.from({ length: 23 }, (_, index) => ({
    ...QUIET,
    address: `0x${(index + 1).toString(16).padStart(40, '0')}` as const,
    // Many ties: five different sums, three different counts.
    amount: BigInt(10_000 + (index % 5)),
    realAmount: BigInt(5_000 + (index % 5)),
    realTx: index % 3,
    buyers: index % 4,
  }))
  await publishSample(state, sampleRun({ figures }))
  const { app } = sampleService(state)
  for (const sort of Object.keys(SORTS)) {
    const seen: Record<string, number | string>[] = []
    let cursor = ''
    do {
      const query = new URLSearchParams({ sort, limit: '4', cursor })
      const page = (await (await app.request(`/merchants.json?${query}`)).json()) as {
        merchants: Record<string, number | string>[]
        next_cursor: string | null
      }
      seen.push(...page.merchants)
      cursor = page.next_cursor ?? ''
    } while (cursor !== '')
    assert.equal(new Set(seen.map(({ address }) => address)).size, 23, sort)
    assert.equal(seen.length, 23, sort)
    // What is shown in cents may tie where micro-USDC do not, but never grows.
    if (sort === 'share') continue
    const values = seen.map((merchant) => Number(merchant[sort]))
    assert.deepEqual(
      values,
      [...values].sort((a, b) => b - a),
      sort,
    )
  }
})
