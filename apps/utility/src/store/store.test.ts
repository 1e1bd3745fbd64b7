import assert from 'node:assert/strict'
import type { Ask } from '@tollbook/testing/catalogue/open-service'
import { TEST_TIME } from '@tollbook/testing/catalogue/run-endpoint'
import { onEveryState } from '@tollbook/testing/state/every-state'
import { openWalletService } from '@tollbook/testing/wallets/wallet-service'
import type { State } from '../state/state.ts'
import { sweepWallets } from '../wallet/change-resource.ts'

const ANN = '0x00000000000000000000000000000000000000a1'
const BEN = '0x00000000000000000000000000000000000000b2'
const DAY_MS = 86_400_000
const later = (days: number) => new Date(TEST_TIME.getTime() + days * DAY_MS)

async function open(state: State) {
  const { ask, setTime } = openWalletService(state)
  const asAnn = (path: string, init: Ask = {}) => ask(`/api/store${path}`, { payer: ANN, ...init })
  const post = (path: string, body: unknown, init: Ask = {}) => asAnn(path, { method: 'POST', body, ...init })
  return { ask, asAnn, post, setTime }
}

onEveryState('rows are appended, read back, listed and deleted', async (state) => {
  const { asAnn, post } = await open(state)
  const row = { ticker: 'BTC', note: 'watch 60k' }
  // 35 bytes of {"ticker":"BTC","note":"watch 60k"} and 6 of the name.
  const appended = await post('/trades', row)
  assert.equal(appended.status, 201)
  assert.deepEqual(appended.body, {
    collection: 'trades',
    inserted: 1,
    ids: [1],
    total_rows: 1,
    bytes_used: 41,
    quota_bytes: 52_428_800,
    expires_at: '2027-01-20T10:00:00.000Z',
    ts: '2026-11-21T10:00:00.000Z',
  })
  const more = await post('/trades', { rows: [{ a: 'ä' }, { b: [1, { c: null }] }] })
  assert.deepEqual([more.body.ids, more.body.total_rows], [[2, 3], 3])
  const stored = { version: 1, created_at: TEST_TIME.toISOString(), updated_at: TEST_TIME.toISOString() }
  assert.deepEqual((await asAnn('/trades')).body.rows, [
    { id: 1, ...stored, ...row },
    { id: 2, ...stored, a: 'ä' },
    { id: 3, ...stored, b: [1, { c: null }] },
  ])
  assert.deepEqual((await asAnn('/trades/2')).body.row, { id: 2, ...stored, a: 'ä' })
  // {"a":"ä"} has 10 bytes, {"b":[1,{"c":null}]} has 20.
  const list = (await asAnn('')).body
  assert.deepEqual(
    [list.collections.length, list.collections[0].name, list.total_rows, list.bytes_used, list.bytes_free],
    [1, 'trades', 3, 71, 52_428_729],
  )
  const deleted = await asAnn('/trades/1', { method: 'DELETE' })
  assert.deepEqual([deleted.body.deleted, deleted.body.total_rows, deleted.body.bytes_used], [true, 2, 36])
  assert.equal((await asAnn('/trades/1')).status, 404)
  // An id is never reused.
  await asAnn('/trades/3', { method: 'DELETE' })
  assert.deepEqual((await post('/trades', {})).body.ids, [4])
  const gone = await asAnn('/trades', { method: 'DELETE' })
  assert.deepEqual([gone.body.deleted_rows, gone.body.bytes_used], [2, 0])
  assert.equal((await asAnn('/trades')).body.code, 'not_found')
  assert.deepEqual((await asAnn('')).body.collections, [])
})

onEveryState(
  'a change states the version it expects, by header, parameter or the row as it was returned',
  async (state) => {
    const { asAnn, post } = await open(state)
    await post('/a', { x: 1, inner: { y: 2, z: 3 } })
    const put = await asAnn('/a/1', { method: 'PUT', body: { x: 2 }, headers: { 'if-match': '"1"' } })
    assert.deepEqual([put.status, put.body.row.version, put.body.row.x], [200, 2, 2])
    assert.equal(put.body.row.inner, undefined)
    assert.equal(put.headers.get('etag'), '"2"')
    const conflicts: Ask[] = [
      { method: 'PUT', body: { x: 9 }, headers: { 'if-match': '"1"' } },
      { method: 'PUT', body: { x: 9, version: 1 } },
      { method: 'DELETE', headers: { 'if-match': '"7"' } },
    ]
    for (const conflict of conflicts) {
      const { status, body } = await asAnn('/a/1', conflict)
      assert.deepEqual([status, body.code, body.version], [409, 'version_conflict', 2])
    }
    assert.equal((await asAnn('/a/1?version=1', { method: 'DELETE' })).status, 409)
    assert.equal((await asAnn('/a/1', { method: 'PUT', body: {}, headers: { 'if-match': 'x' } })).status, 400)
    const { row } = (await asAnn('/a/1')).body
    const back = await asAnn('/a/1', { method: 'PUT', body: { ...row, x: 3 } })
    assert.deepEqual([back.status, back.body.row.version, back.body.row.x], [200, 3, 3])
    assert.equal((await asAnn('/a/1', { method: 'PUT', body: { ...row, id: 5 } })).status, 400)
    await asAnn('/a/1', { method: 'PUT', body: { x: 1, inner: { y: 2, z: 3 } } })
    // RFC 7396: null deletes, objects merge, arrays are replaced.
    const patch = { x: null, inner: { y: [1], w: 4 } }
    const patched = await asAnn('/a/1', { method: 'PATCH', body: patch, headers: { 'if-match': '"4"' } })
    const { id, version, created_at, updated_at, ...fields } = patched.body.row
    assert.deepEqual(fields, { inner: { y: [1], z: 3, w: 4 } })
    const expected = await post('/a?if_total_rows=0', {})
    assert.deepEqual(
      [expected.status, expected.body.code, expected.body.total_rows],
      [409, 'version_conflict', 1],
    )
    assert.equal((await post('/a?if_total_rows=1', {})).status, 201)
  },
)

onEveryState('a query filters, orders, selects fields and continues by cursor', async (state) => {
  const { asAnn, post, setTime } = await open(state)
  await post('/p', [
    { n: 1, s: 'one', deep: { k: 'x' }, ok: true },
    { n: 2, s: 'two', none: null },
    { n: 10, s: 'ten', tags: ['a', 'b'] },
  ])
  setTime(later(1))
  await post('/p', [{ n: -1.5, s: '10' }, { s: 'no number' }])
  const idsOf = async (search: string) => {
    const { body } = await asAnn(`/p?${search}`)
    assert.equal(body.returned, body.rows.length, search)
    assert.equal(body.matched, body.rows.length, search)
    return body.rows.map((row: { id: number }) => row.id)
  }
  const cases: [string, number[]][] = [
    ['', [1, 2, 3, 4, 5]],
    ['order=desc', [5, 4, 3, 2, 1]],
    ['where.n=10', [3]],
    ['where.n=1e1', [3]],
    ['where.s=10', [4]],
    ['where.n.gt=1', [2, 3]],
    ['where.n.gte=1&where.n.lt=10', [1, 2]],
    ['where.n.gt=-2&where.n.lte=1', [1, 4]],
    ['where.n.ne=2', [1, 3, 4, 5]],
    ['where.s.contains=t', [2, 3]],
    ['where.tags.contains=b', [3]],
    ['where.deep.k=x', [1]],
    ['where.ok=true', [1]],
    ['where.none=null', [2]],
    ['where.s.gt=ten', [2]],
    ['where.n.gt=x', []],
    ['where.constructor=x', []],
    ['since=2026-11-22', [4, 5]],
    ['since=2026-11-21T12:00:00%2B02:00', [1, 2, 3, 4, 5]],
    ['since=2026-11-22T10:00:00Z&where.n.lt=0', [4]],
    ['where.created_at.gte=2026-11-22', [4, 5]],
    ['where.id.gt=4', [5]],
  ]
  for (const [search, ids] of cases) assert.deepEqual(await idsOf(search), ids, search)
  const picked = await asAnn('/p?fields=n,%20created_at&limit=1')
  assert.deepEqual(picked.body.rows, [{ id: 1, n: 1, created_at: TEST_TIME.toISOString() }])
  for (const filter of [
    '',
    'where.s.ne=two&',
    'order=desc&',
    'order=desc&where.s.ne=two&',
    'since=2020-01-01&',
  ]) {
    const whole = (await asAnn(`/p?${filter}`)).body.rows
    const pages = []
    let search = `${filter}limit=2`
    for (;;) {
      const { body } = await asAnn(`/p?${search}`)
      assert.equal(body.matched, whole.length)
      pages.push(...body.rows)
      if (body.next_cursor === null) break
      search = `${filter}limit=2&cursor=${body.next_cursor}`
    }
    assert.deepEqual(pages, whole, filter)
    assert.deepEqual((await asAnn(`/p?${filter}offset=1&limit=2`)).body.rows, whole.slice(1, 3), filter)
  }
})

onEveryState('CSV follows RFC 4180 and NDJSON has one row per line', async (state) => {
  const { asAnn, post } = await open(state)
  await post('/t', [
    { a: 'x,y', 'b"c': 'line\nbreak' },
    { a: null, d: { e: 1 }, f: false, g: ' s ' },
  ])
  const csv = await asAnn('/t?format=csv&fields=a,b%22c,d,f,g&limit=2')
  assert.equal(csv.headers.get('content-type'), 'text/csv; charset=utf-8; header=present')
  assert.equal(csv.text, 'id,a,"b""c",d,f,g\r\n1,"x,y","line\nbreak",,,\r\n2,,,"{""e"":1}",false, s \r\n')
  const first = await asAnn('/t?format=ndjson&limit=1&fields=a')
  assert.equal(first.text, '{"id":1,"a":"x,y"}\n')
  assert.equal(first.headers.get('x-matched'), '2')
  const cursor = first.headers.get('x-next-cursor')
  assert.equal(
    (await asAnn(`/t?format=ndjson&limit=1&fields=f&cursor=${cursor}`)).text,
    '{"id":2,"f":false}\n',
  )
  assert.equal((await asAnn('/t?format=csv&where.a=none')).text, 'id\r\n')
})

onEveryState('invalid rows are reported before payment, and by code with one', async (state) => {
  const { ask, asAnn, post } = await open(state)
  const unpaid = await ask('/api/store/t', { method: 'POST', body: [{}, { id: 1 }] })
  assert.equal(unpaid.status, 402)
  assert.deepEqual(unpaid.body.problem.issues, [
    { parameter: 'body.1.id', detail: 'is a field that the store sets itself; use another name' },
  ])
  const refused: [string, unknown, number][] = [
    ['/t', [], 400],
    ['/t', 'text', 400],
    ['/t', [1], 400],
    ['/t', { rows: [1] }, 400],
    ['/t', Array.from({ length: 1001 }, () => ({})), 413],
    // {"a":"…"} is 8 bytes and the text: 262,136 letters fill a row of 262,144 bytes.
    ['/t', { a: 'x'.repeat(262_137) }, 413],
    ['/a b', {}, 400],
    [`/${'x'.repeat(65)}`, {}, 400],
  ]
  for (const [path, body, status] of refused)
    assert.equal((await post(encodeURI(path), body)).status, status, JSON.stringify(body).slice(0, 60))
  const largest = await post('/t', { a: 'x'.repeat(262_136) })
  assert.equal(largest.status, 201)
  const grown = await asAnn('/t/1', { method: 'PATCH', body: { b: 1 } })
  assert.deepEqual([grown.status, grown.body.code], [413, 'too_large'])
  for (const search of [
    'limit=0',
    'limit=1001',
    'cursor=x',
    'offset=1&cursor=YXNjIDE',
    'since=today',
    'were.a=1',
  ])
    assert.equal((await asAnn(`/t?${search}`)).status, 400, search)
  assert.equal(
    (await asAnn(`/t?order=desc&cursor=${Buffer.from('asc 1').toString('base64url')}`)).status,
    400,
  )
  assert.equal((await asAnn(`/t?where.=1`)).status, 400)
  assert.equal(
    (await asAnn(`/t?${Array.from({ length: 11 }, (_, at) => `where.a${at}=1`).join('&')}`)).status,
    400,
  )
  assert.equal((await ask('/api/store', { payer: ANN, method: 'POST', body: {} })).status, 405)
})

onEveryState(
  'a collection expires 60 days after its last write, and reading extends it by 30 days',
  async (state) => {
    const { asAnn, post, setTime } = await open(state)
    await post('/short', { a: 1 })
    await post('/read', { a: 1 })
    setTime(later(59))
    // Day 59 and 30 more is day 89, 2027-02-18.
    assert.equal((await asAnn('/read/1')).body.expires_at, '2027-02-18T10:00:00.000Z')
    assert.equal((await asAnn('')).body.total_collections, 2)
    setTime(later(60))
    const list = (await asAnn('')).body
    assert.deepEqual([list.total_collections, list.collections[0].name], [1, 'read'])
    assert.equal((await asAnn('/short')).status, 404)
    const recreated = await post('/short', { b: 2 })
    // {"b":2} and short, {"a":1} and read: 7 + 5 + 7 + 4 bytes; expired collections are no longer counted.
    assert.deepEqual([recreated.body.ids, recreated.body.total_rows, recreated.body.bytes_used], [[1], 1, 23])
    setTime(later(89))
    assert.equal((await asAnn('/read')).status, 404)
    const signal = new AbortController().signal
    assert.equal(await sweepWallets(state, later(89), signal), 1)
    assert.equal(await sweepWallets(state, later(89), signal), 0)
    const rows = await state.db.selectFrom('collection_row').select('body').execute()
    assert.deepEqual(rows, [{ body: '{"b":2}' }])
  },
)

onEveryState('every wallet has its own collections', async (state) => {
  const { ask, asAnn, post } = await open(state)
  await post('/same', { of: 'ann' })
  const asBen = (path: string, init: Ask = {}) => ask(`/api/store${path}`, { payer: BEN, ...init })
  for (const path of ['/same', '/same/1']) assert.equal((await asBen(path)).status, 404)
  for (const method of ['PUT', 'PATCH'])
    assert.equal((await asBen('/same/1', { method, body: {} })).status, 404)
  for (const path of ['/same', '/same/1']) assert.equal((await asBen(path, { method: 'DELETE' })).status, 404)
  await asBen('/same', { method: 'POST', body: { of: 'ben' } })
  assert.equal((await asAnn('/same/1')).body.row.of, 'ann')
  assert.equal((await asBen('/same/1')).body.row.of, 'ben')
  await asBen('/same', { method: 'DELETE' })
  assert.equal((await asAnn('')).body.total_rows, 1)
})
