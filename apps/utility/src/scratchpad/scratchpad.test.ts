import assert from 'node:assert/strict'
import type { Ask } from '@tollbook/testing/catalogue/open-service'
import { TEST_TIME } from '@tollbook/testing/catalogue/run-endpoint'
import { onEveryState, onSqliteState } from '@tollbook/testing/state/every-state'
import { openWalletService } from '@tollbook/testing/wallets/wallet-service'
import type { State } from '../state/state.ts'
import { sweepWallets } from '../wallet/change-resource.ts'

const ANN = '0x00000000000000000000000000000000000000a1'
const BEN = '0x00000000000000000000000000000000000000b2'
const NOW = '2026-11-21T10:00:00.000Z'
const after = (seconds: number) => new Date(TEST_TIME.getTime() + seconds * 1000)

async function open(state: State) {
  const { ask, setTime } = openWalletService(state)
  const asAnn = (path: string, init: Ask = {}) => ask(`/api/scratchpad${path}`, { payer: ANN, ...init })
  const put = (path: string, body: unknown, init: Ask = {}) => asAnn(path, { method: 'PUT', body, ...init })
  return { ask, asAnn, put, setTime }
}

onEveryState('a pad is written, read with its versions, listed and deleted', async (state) => {
  const { asAnn, put, setTime } = await open(state)
  const made = await put('/plan', { content: 'step 1\n' })
  assert.deepEqual([made.status, made.headers.get('etag')], [201, '"1"'])
  // 7 bytes of the text and 4 of the name; 7 days are 604,800 seconds.
  assert.deepEqual(made.body, {
    name: 'plan',
    version: 1,
    size_bytes: 7,
    updated_at: NOW,
    expires_at: '2026-11-28T10:00:00.000Z',
    bytes_used: 11,
    quota_bytes: 104_857_600,
    ts: NOW,
  })
  setTime(after(60))
  const appended = await asAnn('/plan', { method: 'POST', body: { content: 'step é\n', mode: 'append' } })
  assert.deepEqual([appended.status, appended.body.version, appended.body.size_bytes], [200, 2, 15])
  // Both versions are stored: 7 + 15 + 4 bytes.
  assert.equal(appended.body.bytes_used, 26)
  const later = '2026-11-21T10:01:00.000Z'
  assert.deepEqual((await asAnn('/plan')).body, {
    name: 'plan',
    content: 'step 1\nstep é\n',
    content_type: 'text/plain; charset=utf-8',
    version: 2,
    versions: [
      { version: 2, updated_at: later, size_bytes: 15 },
      { version: 1, updated_at: NOW, size_bytes: 7 },
    ],
    size_bytes: 15,
    updated_at: later,
    expires_at: '2026-11-28T10:01:00.000Z',
    ts: later,
  })
  const first = await asAnn('/plan?version=1')
  assert.deepEqual([first.body.content, first.body.version, first.body.updated_at], ['step 1\n', 1, NOW])
  assert.deepEqual((await asAnn('')).body, {
    wallet: ANN,
    scratchpads: [
      {
        name: 'plan',
        size_bytes: 15,
        version: 2,
        content_type: 'text/plain; charset=utf-8',
        updated_at: later,
        expires_at: '2026-11-28T10:01:00.000Z',
      },
    ],
    total: 1,
    bytes_used: 26,
    quota_bytes: 104_857_600,
    ts: later,
  })
  const deleted = await asAnn('/plan', { method: 'DELETE' })
  assert.deepEqual([deleted.body.deleted, deleted.body.bytes_used], [true, 0])
  assert.equal((await asAnn('/plan')).status, 404)
  assert.equal((await asAnn('/plan', { method: 'DELETE' })).status, 404)
  assert.deepEqual(await state.db.selectFrom('pad_version').select('pad').execute(), [])
})

onSqliteState(
  'the last ten versions are stored, and a dropped version is reported as such',
  async (state) => {
    const { asAnn, put } = await open(state)
    for (let version = 1; version <= 12; version++) await put('/p', { content: 'x'.repeat(version) })
    const { body } = await asAnn('/p')
    assert.deepEqual(
      body.versions.map((one: { version: number }) => one.version),
      [12, 11, 10, 9, 8, 7, 6, 5, 4, 3],
    )
    // 3 + 4 + ... + 12 bytes and the name of one.
    assert.equal((await asAnn('')).body.bytes_used, 75 + 1)
    assert.equal((await asAnn('/p?version=3')).body.content, 'xxx')
    const gone = await asAnn('/p?version=2')
    assert.deepEqual([gone.status, gone.body.code], [410, 'no_longer_kept'])
    assert.equal((await asAnn('/p?version=13')).status, 404)
  },
)

onEveryState('a write with an expected version changes that version or nothing', async (state) => {
  const { asAnn, put } = await open(state)
  assert.equal((await put('/p', { content: 'a', if_version: 0 })).status, 201)
  const conflicts: [Ask, string?][] = [
    [{ body: { content: 'b', if_version: 0 } }],
    [{ body: { content: 'b', if_version: 2 } }],
    [{ body: { content: 'b' }, headers: { 'if-match': '"2"' } }],
    [{ body: { content: 'b', mode: 'append', if_version: 2 }, method: 'POST' }],
    [{ method: 'DELETE' }, '?if_version=2'],
  ]
  for (const [init, query = ''] of conflicts) {
    const { status, body } = await asAnn(`/p${query}`, { method: 'PUT', ...init })
    assert.deepEqual([status, body.code, body.version], [409, 'version_conflict', 1], JSON.stringify(init))
  }
  const absent = await put('/q', { content: 'a', if_version: 1 })
  assert.deepEqual([absent.status, absent.body.version], [409, 0])
  assert.equal((await put('/p', { content: 'b' }, { headers: { 'if-match': '"1"' } })).body.version, 2)
  // Of the writers that read the same version, one wins.
  const writes = Array.from({ length: 8 }, (_, n) => put('/p', { content: `${n}`, if_version: 2 }))
  const statuses = (await Promise.all(writes)).map(({ status }) => status)
  assert.deepEqual(statuses.sort(), [200, 409, 409, 409, 409, 409, 409, 409])
})

onEveryState('any string and any JSON is returned as it was written', async (state) => {
  const { asAnn, put } = await open(state)
  const texts = ['', '\u0000\u001f', '\ufeffBOM', '"quoted"\r\n', 'é😀', '{"a":1}']
  for (const content of texts) {
    await put('/t', { content })
    assert.equal((await asAnn('/t')).body.content, content)
    const raw = await asAnn('/t?raw=1')
    assert.equal(raw.headers.get('content-type'), 'text/plain; charset=utf-8')
    // A text decoder drops a leading byte order mark, as in WHATWG Fetch.
    assert.equal(raw.text, content.replace(/^\ufeff/, ''))
  }
  const values = [
    '{"id":12345678901234567890,"list":[1,null]}',
    '[]',
    'null',
    'false',
    '0.5',
    '{"rawJSON":"1"}',
  ]
  for (const value of values) {
    await put('/j', `{"content":${value}}`)
    const answer = await asAnn('/j')
    assert.equal(answer.body.content_type, 'application/json; charset=utf-8')
    assert.ok(answer.text.startsWith(`{"name":"j","content":${value},`), answer.text)
    assert.equal((await asAnn('/j?raw=1')).text, value)
  }
})

onSqliteState('strings are appended to strings and anything to JSON arrays, nothing else', async (state) => {
  const { asAnn, put } = await open(state)
  const append = (name: string, content: unknown) => put(name, { content, mode: 'append' })
  for (const [name, values, content] of [
    ['/text', ['a', '', 'b'], 'ab'],
    ['/list', [{ a: 1 }, 'b', [2]], [{ a: 1 }, 'b', [2]]],
  ] as const) {
    for (const value of values) assert.ok((await append(name, value)).status < 300)
    assert.deepEqual((await asAnn(name)).body.content, content)
  }
  await put('/object', { content: { a: 1 } })
  for (const [name, value] of [
    ['/text', 1],
    ['/object', 'x'],
  ] as const) {
    const { status, body } = await append(name, value)
    assert.deepEqual([status, body.code], [422, 'cannot_be_served'])
  }
})

onSqliteState('invalid content is reported before payment', async (state) => {
  const { ask, put } = await open(state)
  const refused: [unknown, number][] = [
    [{}, 400],
    [{ content: 'a', ttl_seconds: 59 }, 400],
    // 90 days are 7,776,000 seconds.
    [{ content: 'a', ttl_seconds: 7_776_001 }, 400],
    [{ content: 'a', mode: 'prepend' }, 400],
    [{ content: 'a', name: 'b' }, 400],
    [{ content: 'a', if_version: -1 }, 400],
    ['{"content":"\\ud800"}', 400],
    [{ content: 'x'.repeat(1_048_577) }, 413],
  ]
  for (const [body, status] of refused) {
    assert.equal((await put('/p', body)).status, status, JSON.stringify(body).slice(0, 60))
  }
  assert.equal((await put('/a%20b', { content: '' })).status, 400)
  const unpaid = await ask('/api/scratchpad/p', { method: 'PUT', body: { content: 'a', ttl_seconds: 1 } })
  assert.equal(unpaid.body.problem.issues[0].parameter, 'ttl_seconds')
  assert.equal((await put('/full', { content: 'x'.repeat(1_048_576) })).status, 201)
  const over = await put('/full', { content: 'x', mode: 'append' })
  assert.deepEqual([over.status, over.body.code], [413, 'too_large'])
})

onEveryState('a pad expires at the end of its lifetime, and reading does not extend it', async (state) => {
  const { asAnn, put, setTime } = await open(state)
  assert.equal((await put('/a', { content: 'a', ttl_seconds: 60 })).body.expires_at, after(60).toISOString())
  await put('/b', { content: 'bb', ttl_seconds: 7_776_000 })
  setTime(after(59))
  assert.equal((await asAnn('/a')).status, 200)
  setTime(after(60))
  assert.equal((await asAnn('/a')).status, 404)
  assert.equal((await asAnn('')).body.total, 1)
  // A write without a lifetime does not shorten it; one with a lifetime does.
  assert.equal((await put('/b', { content: 'bb' })).body.expires_at, after(7_776_000).toISOString())
  const short = await put('/b', { content: 'bb', ttl_seconds: 100 })
  assert.equal(short.body.expires_at, after(160).toISOString())
  // A pad of the same name starts over: 1 byte, its name, and b with three versions of 2.
  const recreated = await put('/a', { content: 'x' })
  assert.deepEqual([recreated.body.version, recreated.body.bytes_used], [1, 2 + 7])
  setTime(after(160))
  const { signal } = new AbortController()
  assert.equal(await sweepWallets(state, after(160), signal), 1)
  assert.equal(await sweepWallets(state, after(160), signal), 0)
  const left = await state.db.selectFrom('pad_version').select('bytes').execute()
  assert.deepEqual(left, [{ bytes: 1 }])
  const { pad_bytes } = await state.db.selectFrom('wallet').select('pad_bytes').executeTakeFirstOrThrow()
  assert.equal(pad_bytes, 2)
})

onSqliteState('a wallet has at most 100 pads', async (state) => {
  const { put } = await open(state)
  const statuses = []
  for (let n = 0; n <= 100; n++) statuses.push((await put(`/${n}`, { content: '' })).status)
  assert.deepEqual(statuses.slice(99), [201, 422])
  assert.equal((await put('/0', { content: 'a' })).status, 200)
})

onSqliteState('a pad beyond 100 MB is rejected, with the field names of the answers', async (state) => {
  const { put } = await open(state)
  const content = 'x'.repeat(1_048_576)
  for (let n = 0; n < 99; n++) assert.equal((await put(`/${n}`, { content })).status, 201)
  const { status, body } = await put('/99', { content })
  assert.deepEqual([status, body.code], [507, 'quota_exceeded'])
  // 99 pads of 1,048,576 bytes, 10 names of one byte and 89 of two; the last pad has a name of two.
  assert.deepEqual(
    [body.bytes_used, body.quota_bytes, body.bytes_needed],
    [103_809_212, 104_857_600, 1_048_578],
  )
})

onSqliteState('other wallets cannot see a pad', async (state) => {
  const { ask, asAnn, put } = await open(state)
  await put('/p', { content: 'a', mode: 'append' })
  assert.equal((await asAnn('/p')).body.content, 'a')
  const asBen = (path: string, init: Ask = {}) => ask(`/api/scratchpad${path}`, { payer: BEN, ...init })
  const forms = [{}, { method: 'DELETE' }]
  for (const init of forms) assert.equal((await asBen('/p', init)).status, 404)
  assert.equal((await asBen('')).body.total, 0)
  assert.equal((await asBen('/p', { method: 'PUT', body: { content: 'b' } })).body.version, 1)
  assert.equal((await asAnn('/p')).body.content, 'a')
})
