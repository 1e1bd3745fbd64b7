import assert from 'node:assert/strict'
import { onEveryState } from '../../../test/every-state.ts'
import { publishSample } from '../../../test/publish-sample.ts'
import { BUSY, QUIET } from '../../../test/sample-run.ts'
import { sampleService } from '../../../test/sample-service.ts'
import type { State } from '../../state/state.ts'

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
