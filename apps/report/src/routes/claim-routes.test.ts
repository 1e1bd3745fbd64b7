import assert from 'node:assert/strict'
import { CLAIMED_AT, MERCHANT, merchant, openClaiming, rival } from '@tollbook/testing/report/claiming'
import { HOSTILE_TEXT } from '@tollbook/testing/report/publish-sample'
import { onEveryState, onSqliteState } from '@tollbook/testing/state/every-state'
import { verifyMessage } from 'viem'
import { readClaim, readDisclosedWallets } from '../claims/stored-claims.ts'

const MINUTE_MS = 60_000
const WALLETS = [`0x${'2'.repeat(40)}`, `0x${'1'.repeat(40)}`]

onEveryState('a wallet claims its report, and anyone can check the record', async (state) => {
  const { app, challenge, post, record } = await openClaiming(state)
  assert.equal((await record()).claimed, false)
  const wish = {
    statement: 'We test our endpoint each hour.',
    disclosures: [...WALLETS, WALLETS[0]],
    max_price_usd: '250.5',
  }
  const requested = await challenge(wish)
  assert.equal(requested.status, 201)
  assert.equal(requested.headers.get('cache-control'), 'no-store')
  assert.equal(requested.body.expires_at, '2026-11-15T12:45:00+00:00')
  const { message } = requested.body
  const signature = await merchant.signMessage({ message })
  const taken = await post('/claims', { message, signature, ...wish })
  assert.equal(taken.status, 201)

  const response = await app.request(`/merchants/base/${MERCHANT.toUpperCase().replace('X', 'x')}/claim.json`)
  assert.equal(response.headers.get('last-modified'), CLAIMED_AT.toUTCString())
  const published = (await response.json()) as Record<string, unknown>
  assert.deepEqual(published, taken.body)
  const { note: _note, ...facts } = published
  assert.deepEqual(facts, {
    address: MERCHANT,
    chain: 'base',
    claimed: true,
    action: 'claim',
    made_at: '2026-11-15T12:30:00+00:00',
    statement: wish.statement,
    disclosures: [...WALLETS].sort(),
    max_price_usd: 250.5,
    message,
    signature,
  })
  assert.ok(await verifyMessage({ address: merchant.address, message, signature }))
  assert.ok(message.includes(encodeURIComponent(wish.statement)))
  for (const wallet of WALLETS) assert.ok(message.includes(`did:pkh:eip155:8453:${wallet}`))
})

onEveryState('a newer claim replaces the previous one, and a withdrawal removes the claim', async (state) => {
  const { challenge, claim, clock, record } = await openClaiming(state)
  const at = (minutes: number) => new Date(CLAIMED_AT.getTime() + minutes * MINUTE_MS)
  assert.equal((await challenge({ action: 'withdraw' })).status, 404)
  await claim({ statement: 'First words.', disclosures: WALLETS })
  clock.now = at(1)
  await claim({ disclosures: [WALLETS[0]] })
  assert.deepEqual([(await record()).statement, (await record()).disclosures], [null, [WALLETS[0]]])
  clock.now = at(2)
  assert.equal((await claim({ action: 'withdraw' })).status, 201)
  const withdrawn = await record()
  assert.deepEqual([withdrawn.claimed, withdrawn.action, withdrawn.disclosures], [false, 'withdraw', []])
  assert.equal(await readClaim(state, MERCHANT), null)
  assert.deepEqual([...(await readDisclosedWallets(state))], [])

  // Every accepted text is still stored.
  const stored = await state.db.selectFrom('claim').selectAll().orderBy('version').execute()
  assert.deepEqual(
    stored.map(({ address, version, action, disclosures, made_at }) => [
      [address, version, action, made_at],
      JSON.parse(disclosures),
    ]),
    [
      [[MERCHANT, 1, 'claim', at(0).getTime()], [...WALLETS].sort()],
      [[MERCHANT, 2, 'claim', at(1).getTime()], [WALLETS[0]]],
      [[MERCHANT, 3, 'withdraw', at(2).getTime()], []],
    ],
  )
})

onSqliteState('only a wallet with a report or a listing gets a text to sign', async (state) => {
  const { challenge } = await openClaiming(state)
  assert.equal((await challenge({ address: `0x${'9'.repeat(40)}` })).status, 404)
  // The payee of the sample's listings.
  assert.equal((await challenge({ address: `0x${'0'.repeat(38)}a1` })).status, 201)
})

onSqliteState('malformed challenge requests are rejected, each with its issue', async (state) => {
  const { challenge, post } = await openClaiming(state)
  const issues: readonly [Record<string, unknown>, string][] = [
    [{ address: '0x12' }, 'address'],
    [{ address: '%' }, 'address'],
    [{ address: merchant.address.replace(/[a-f]/, (letter) => letter.toUpperCase()) }, 'address'],
    [{ address: 7 }, 'address'],
    [{ action: 'take' }, 'action'],
    [{ statement: 'x'.repeat(501) }, 'statement'],
    [{ statement: 'x'.repeat(10_000) }, 'statement'],
    [{ statement: 'a\u202eb' }, 'statement'],
    [{ statement: '' }, 'statement'],
    [{ disclosures: WALLETS[0] }, 'disclosures'],
    [{ disclosures: ['0x1'] }, 'disclosures.0'],
    [{ disclosures: [merchant.address] }, 'disclosures'],
    [
      { disclosures: Array.from({ length: 51 }, (_, at) => `0x${at.toString(16).padStart(40, '0')}`) },
      'disclosures',
    ],
    [{ action: 'withdraw', statement: 'x' }, 'statement'],
    [{ action: 'withdraw', disclosures: WALLETS }, 'disclosures'],
    [{ action: 'withdraw', max_price_usd: '1' }, 'max_price_usd'],
    ...['0', '0.000', '-1', '1e3', '0.0000001', '10000000000', '', 5].map(
      (price) => [{ max_price_usd: price }, 'max_price_usd'] as [Record<string, unknown>, string],
    ),
    [{ further: 1 }, 'further'],
  ]
  for (const [wish, parameter] of issues) {
    const { status, body } = await challenge(wish)
    assert.deepEqual(
      [status, body.issues?.[0]?.parameter],
      [400, parameter],
      JSON.stringify(wish).slice(0, 80),
    )
  }
  for (const [signature, status] of [
    ['', 400],
    ['0x', 400],
    ['0x123', 400],
    ['1234', 400],
    [`0x${'ab'.repeat(20_000)}`, 400],
  ] as const)
    assert.equal((await post('/claims', { message: 'x', signature })).status, status)
})

onSqliteState('bodies are JSON of bounded size, and headers do not change that', async (state) => {
  const { app, post } = await openClaiming(state)
  const refusals: readonly [string, Record<string, string>, number][] = [
    ['{', {}, 400],
    ['[]', {}, 400],
    ['null', {}, 400],
    ['{"__proto__":{}}', {}, 400],
    ['['.repeat(50_000), {}, 400],
    [`{"address":"${'x'.repeat(70_000)}"}`, {}, 413],
    ['{}', { 'content-type': 'text/plain' }, 415],
    ['{}', { 'content-type': '' }, 415],
    ['{}', { 'content-type': 'multipart/form-data; boundary=x' }, 415],
    ['{}', { 'content-encoding': 'gzip' }, 415],
    ['{}', { 'x-http-method-override': 'GET' }, 400],
  ]
  for (const path of ['/claims', '/claims/challenge', '/disputes']) {
    for (const [body, headers, status] of refusals)
      assert.equal((await post(path, body, headers)).status, status, `${path} ${body.slice(0, 20)}`)
    const preflight = await app.request(path, { method: 'OPTIONS' })
    assert.match(preflight.headers.get('access-control-allow-methods') ?? '', /\bPOST\b/)
    assert.match(preflight.headers.get('access-control-allow-headers') ?? '', /\bContent-Type\b/)
    assert.equal((await app.request(path, { method: 'PUT' })).status, 405)
  }
  const reading = await app.request('/claims/challenge')
  assert.deepEqual([reading.status, reading.headers.get('allow')], [405, 'POST, OPTIONS'])
})

onSqliteState('thousands of unknown fields are not listed one by one', async (state) => {
  const { post } = await openClaiming(state)
  const names = Array.from({ length: 101 }, (_, at) => `k${at}`)
  const form = new URLSearchParams(Object.fromEntries(names.map((name) => [name, '1'])))
  const bodies: Readonly<Record<string, string>> = {
    'application/x-www-form-urlencoded': `${form}`,
    'application/json': JSON.stringify(Object.fromEntries(form)),
  }
  for (const [type, sent] of Object.entries(bodies))
    for (const path of ['/claims', '/claims/challenge', '/disputes']) {
      const { status, body } = await post(path, sent, { 'content-type': type })
      assert.deepEqual([status, body.issues?.length, body.issues?.[0]?.parameter], [400, 1, 'body'], type)
    }
})

onSqliteState('the page works without a script, from the form to the claim', async (state) => {
  const { app, record } = await openClaiming(state)
  const send = (path: string, fields: Record<string, string>) =>
    app.request(path, {
      method: 'POST',
      headers: { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(fields).toString(),
    })
  const requested = await send('/claims/challenge', {
    address: merchant.address,
    action: 'claim',
    statement: ` ${HOSTILE_TEXT}\r\nsecond line `,
    disclosures: `${WALLETS[0]},\r\n${WALLETS[1]}\r\n`,
    max_price_usd: ' 250.5 ',
  })
  assert.equal(requested.status, 200)
  assert.match(requested.headers.get('content-security-policy') ?? '', /default-src 'none'/)
  const page = await requested.text()
  assert.doesNotMatch(page, /<script|<img src=x/)
  const text = (/<pre tabindex="0">(tollbook\.example [\s\S]*?)<\/pre>/.exec(page)?.[1] ?? '').replaceAll(
    '&#39;',
    "'",
  )
  const nonce = /name="nonce" value="(\w+)"/.exec(page)?.[1] ?? ''
  const wrong = await send('/claims', { nonce, signature: await rival.signMessage({ message: text }) })
  assert.equal(wrong.status, 403)
  assert.match(wrong.headers.get('content-type') ?? '', /^text\/html/)
  const signature = await merchant.signMessage({ message: text })
  const taken = await send('/claims', { nonce, signature: `${signature}\r\n` })
  assert.equal(taken.status, 200, await taken.text())
  assert.equal((await record()).statement, `${HOSTILE_TEXT} second line`)

  const spaces = { address: merchant.address, statement: `a${' '.repeat(60_000)}b\n \n c` }
  assert.equal((await send('/claims/challenge', spaces)).status, 400)

  const form = await (await app.request(`/claims?address=${merchant.address}`)).text()
  assert.doesNotMatch(form, /<script|<img src=x/)
  assert.ok(form.includes(`value="${MERCHANT}"`))
  assert.ok(form.includes('&lt;script&gt;alert(1)'))
  assert.ok(form.includes('name="max_price_usd" inputmode="decimal" maxlength="16" value="250.5"'))
  const inert = await (await app.request('/claims?address=%22%3E%3Cscript%3E')).text()
  assert.doesNotMatch(inert, /<script/)
  assert.equal((await send('/claims', { nonce, signature })).status, 409)
  const filled = { address: merchant.address, statement: 'x', disclosures: 'x', max_price_usd: '250.5' }
  assert.equal((await send('/claims/challenge', { ...filled, action: 'withdraw' })).status, 200)
})
