import assert from 'node:assert/strict'
import { PUBLISHED_AT, publishSample } from '@tollbook/testing/report/publish-sample'
import { BUSY, laterFigures, QUIET, sampleFigures } from '@tollbook/testing/report/sample-figures'
import { sampleService } from '@tollbook/testing/report/sample-service'
import { onEveryState, onSqliteState } from '@tollbook/testing/state/every-state'
import { replaceListings } from '../listings/stored-listings.ts'
import { SORTS } from '../served/ranking-order.ts'
import type { State } from '../state/state.ts'

const HTML = { headers: { accept: 'text/html' } }

async function open(state: State) {
  await publishSample(state)
  return sampleService(state)
}

onEveryState('the ranking is served as JSON, as CSV and in pages', async (state) => {
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
        name_confirmed: true,
        tx: 132,
        usd: 9.55,
        real_tx: 11,
        real_usd: 7.35,
        buyers: 4,
        real_buyers: 2,
        // 9.545678^2 / (1.2^2 + 5^2 + 2.345678^2 + 1^2) = 2.766
        effective_buyers: 2.77,
        returning_buyers: 1,
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
      'rank,address,name,tx,usd,real_tx,real_usd,buyers,real_buyers,flags,name_confirmed,effective_buyers,returning_buyers',
      `1,${BUSY.address},api.weather.example,132,9.55,11,7.35,4,2,self_pay tiny_repeat,true,2.77,1`,
      `2,${QUIET.address},${QUIET.address},3,0.02,3,0.02,1,1,,false,1,`,
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
  assert.deepEqual(await search('%'), [BUSY.address], 'a percent sign occurs in a listing, and only there')
  assert.deepEqual(await search('_'), [])
  assert.deepEqual(await search('\\'), [])
  assert.deepEqual((await search('')).length, 2)
})

onSqliteState('a search from a browser returns a page', async (state) => {
  const { app } = await open(state)
  const response = await app.request('/search?q=forecast', HTML)
  assert.equal(response.headers.get('content-type'), 'text/html; charset=utf-8')
  assert.equal(response.headers.get('vary'), 'Accept, Accept-Encoding')
  assert.ok((await response.text()).includes('api.weather.example'))
})

onSqliteState('the ranking has the age of its publication', async (state) => {
  const { app } = await open(state)
  for (const path of ['/', '/merchants.json', '/merchants.csv', '/search?q=weather']) {
    const first = await app.request(path)
    assert.equal(first.headers.get('last-modified'), PUBLISHED_AT.toUTCString(), path)
    const since = { 'if-modified-since': PUBLISHED_AT.toUTCString() }
    assert.equal((await app.request(path, { headers: since })).status, 304, path)
    const tag = { 'if-none-match': first.headers.get('etag') ?? '' }
    assert.equal((await app.request(path, { headers: tag })).status, 304, path)
  }
  await publishSample(state, laterFigures(30, { merchants: [BUSY] }), new Date('2026-11-15T12:01:05Z'))
  const since = { 'if-modified-since': PUBLISHED_AT.toUTCString() }
  const changed = await app.request('/merchants.json', { headers: since })
  assert.equal(changed.status, 200)
  assert.equal(((await changed.json()) as { merchants: unknown[] }).merchants.length, 1)
})

onEveryState('merchants can be sorted by every figure, across pages, each exactly once', async (state) => {
  const figures = Array.from({ length: 23 }, (_, index) => ({
    ...QUIET,
    address: `0x${(index + 1).toString(16).padStart(40, '0')}` as const,
    // Many ties: five different sums, three different counts.
    amount: BigInt(10_000 + (index % 5)),
    realAmount: BigInt(5_000 + (index % 5)),
    realTx: index % 3,
    buyers: index % 4,
  }))
  await publishSample(state, sampleFigures({ merchants: figures }))
  const { app } = sampleService(state)
  for (const [sort, order] of SORTS.flatMap((each) => [[each, 'desc'] as const, [each, 'asc'] as const])) {
    const seen: Record<string, number | string>[] = []
    let cursor = ''
    do {
      const query = new URLSearchParams({ sort, order, limit: '4', cursor })
      const page = (await (await app.request(`/merchants.json?${query}`)).json()) as {
        merchants: Record<string, number | string>[]
        next_cursor: string | null
      }
      seen.push(...page.merchants)
      cursor = page.next_cursor ?? ''
    } while (cursor !== '')
    assert.equal(new Set(seen.map(({ address }) => address)).size, 23, sort)
    assert.equal(seen.length, 23, sort)
    // Values shown in cents may tie where micro-USDC do not, but their order never reverses.
    const figureOf = (merchant: Record<string, number | string>) => {
      if (sort === 'flagged_tx') return Number(merchant.tx) - Number(merchant.real_tx)
      if (sort === 'name') return Number(merchant.name)
      return Number(merchant[sort === 'relevance' ? 'real_usd' : sort])
    }
    if (sort === 'share') continue
    const values = seen.map(figureOf)
    const sorted = values.toSorted((a, b) => (order === 'asc' ? a - b : b - a))
    assert.deepEqual(values, sorted, `${sort} ${order}`)
  }
})

onEveryState('matches by name come before matches by listings', async (state) => {
  const host = (name: string, payTo: `0x${string}`, description: string) => ({
    resource: `https://${name}/v1/a`,
    host: name,
    payTo,
    price: 1_000n,
    schemes: ['exact'],
    operation: 'GET',
    description,
    lastSeen: PUBLISHED_AT,
  })
  const wallet = (index: number) => `0x${index.toString(16).padStart(40, '0')}` as const
  const names = [
    'maps.example',
    'atlas.example',
    'maps-and-more.example',
    'world.maps.example',
    'other.example',
  ]
  const listings = names.map((name, index) =>
    host(name, wallet(index + 1), name === 'other.example' ? 'Draws maps.example tiles' : 'Draws'),
  )
  const figures = names.map((_, index) => ({
    ...QUIET,
    address: wallet(index + 1),
    // The weakest match earns the most.
    realAmount: BigInt(10_000 + index),
  }))
  for (const source of ['https://one-catalogue.example', 'https://another-catalogue.example'])
    await replaceListings(state, source, { listings, readAt: PUBLISHED_AT })
  await publishSample(state, sampleFigures({ merchants: figures }))
  const { app } = sampleService(state)
  const search = async (query: Record<string, string>) => {
    const response = await app.request(`/search?${new URLSearchParams(query)}`)
    const found = (await response.json()) as { merchants: { name: string }[]; next_cursor: string | null }
    return { names: found.merchants.map(({ name }) => name), cursor: found.next_cursor }
  }
  const found = ['maps.example', 'world.maps.example', 'other.example']
  assert.deepEqual((await search({ q: 'Maps.Example' })).names, found)
  assert.deepEqual((await search({ q: 'maps' })).names, [
    'maps-and-more.example',
    'maps.example',
    'world.maps.example',
    'other.example',
  ])
  assert.deepEqual((await search({ q: 'maps.example', sort: 'real_usd' })).names, [...found].reverse())
  const first = await search({ q: 'maps.example', limit: '1' })
  const rest = await search({ q: 'maps.example', limit: '2', cursor: first.cursor ?? '' })
  assert.deepEqual([...first.names, ...rest.names], found)
  assert.deepEqual((await search({ q: wallet(2) })).names, ['atlas.example'])
})

onSqliteState('pages of the ranking link forward and back', async (state) => {
  const figures = Array.from({ length: 120 }, (_, index) => ({
    ...QUIET,
    address: `0x${(index + 1).toString(16).padStart(40, '0')}` as const,
    rank: index + 1,
    realAmount: BigInt(1_000_000 - 10_000 * index),
  }))
  await publishSample(state, sampleFigures({ merchants: figures }))
  const { app } = sampleService(state)
  const read = async (path: string) => {
    const page = await (await app.request(path, HTML)).text()
    const link = (rel: string) =>
      new RegExp(`href="([^"]+)" rel="${rel}"`).exec(page)?.[1]?.replaceAll('&amp;', '&')
    const ranks = [...page.matchAll(/<td class="rank">(\d+)</g)].map((match) => Number(match[1]))
    return { ranks: [ranks[0], ranks.at(-1)], next: link('next'), previous: link('prev') }
  }
  const first = await read('/')
  assert.deepEqual([first.ranks, first.previous], [[1, 50], undefined])
  const second = await read(first.next ?? '')
  assert.deepEqual(second.ranks, [51, 100])
  const third = await read(second.next ?? '')
  assert.deepEqual([third.ranks, third.next], [[101, 120], undefined])
  const back = await read(third.previous ?? '')
  assert.deepEqual(back.ranks, [51, 100])
  const start = await read(back.previous ?? '')
  assert.deepEqual([start.ranks, start.previous], [[1, 50], undefined])
  assert.deepEqual((await read(start.next ?? '')).ranks, [51, 100])
})

onSqliteState('a cursor is valid only for the order that issued it', async (state) => {
  const { app } = await open(state)
  const first = (await (await app.request('/merchants.json?limit=1')).json()) as { next_cursor: string }
  const forge = (parts: unknown) => Buffer.from(JSON.stringify(parts)).toString('base64url')
  for (const query of [
    `sort=name&cursor=${first.next_cursor}`,
    `order=asc&cursor=${first.next_cursor}`,
    `cursor=${forge(['real_usd', 'desc', 'after', ['a', 1, '0x']])}`,
    `cursor=${forge(['real_usd', 'desc', 'after', [1]])}`,
    `cursor=${forge(['name', 'asc', 'after', [1, 2]])}&sort=name`,
  ]) {
    const refused = await app.request(`/merchants.json?${query}`)
    assert.equal(refused.status, 400, query)
    assert.match(await refused.text(), /"parameter":"cursor"/)
  }
})

onSqliteState('a window that lags behind the chain shows a notice', async (state) => {
  await publishSample(state)
  const later = (hours: number) => new Date(PUBLISHED_AT.getTime() + hours * 3_600_000)
  const read = async (now: Date) => {
    const { app } = sampleService(state, { now: () => now })
    return (await app.request('/')).text()
  }
  const note = 'Indexing is behind: payments after 2026-11-15 12:00 UTC are not counted yet.'
  assert.ok(!(await read(later(1))).includes(note))
  assert.ok((await read(later(3))).includes(note))
  await publishSample(state, sampleFigures({ edition: '2026-11-15' }))
  const { app } = sampleService(state, { now: () => later(3) })
  assert.ok(!(await (await app.request('/?week=2026-11-15')).text()).includes(note))
})

onSqliteState('an incomplete window shows a notice', async (state) => {
  const { window } = sampleFigures()
  await publishSample(state, sampleFigures({ window: { ...window, isComplete: false } }))
  const { app } = sampleService(state)
  assert.ok((await (await app.request('/')).text()).includes('This window is not complete'))
})
