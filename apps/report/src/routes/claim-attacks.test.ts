import assert from 'node:assert/strict'
import { Unreachable } from '@tollbook/flow/failure'
import { CLAIMED_AT, MERCHANT, merchant, openClaiming, RIVAL, rival } from '@tollbook/testing/report/claiming'
import { BASE_URL } from '@tollbook/testing/report/publish-sample'
import { onEveryState, onSqliteState } from '@tollbook/testing/state/every-state'
import { readClaim } from '../claims/stored-claims.ts'

const MINUTE_MS = 60_000
const WALLETS = [`0x${'2'.repeat(40)}`, `0x${'1'.repeat(40)}`]

onEveryState('of sixteen concurrent requests with the same signature, one is accepted', async (state) => {
  const { challenge, post } = await openClaiming(state)
  const { message } = (await challenge()).body
  const signature = await merchant.signMessage({ message })
  const answers = await Promise.all(Array.from({ length: 16 }, () => post('/claims', { message, signature })))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [
    201,
    ...Array.from({ length: 15 }, () => 409),
  ])
  assert.equal((await readClaim(state, MERCHANT))?.version, 1)
})

onEveryState(
  'of sixteen texts that one wallet signs at the same time, one is accepted and closes the others',
  async (state) => {
    const { challenge, post } = await openClaiming(state)
    const texts = await Promise.all(
      Array.from({ length: 8 }, (_, at) => challenge({ statement: `Text ${at}` })),
    )
    const answers = await Promise.all(
      texts.map(async ({ body: { message } }) =>
        post('/claims', { message, signature: await merchant.signMessage({ message }) }),
      ),
    )
    assert.equal(answers.filter(({ status }) => status === 201).length, 1)
    assert.equal(answers.filter(({ body }) => body.code === 'challenge_not_open').length, 7)
    assert.equal((await state.db.selectFrom('claim_challenge').selectAll().execute()).length, 0)
  },
)

onEveryState(
  'a text that is not open is rejected: used, expired, changed, or of another service',
  async (state) => {
    const { challenge, clock, post } = await openClaiming(state)
    const wish = { statement: 'Honest words.', disclosures: [WALLETS[0]] }
    const { message } = (await challenge(wish)).body
    const send = async (text: string, signer = merchant) =>
      (await post('/claims', { message: text, signature: await signer.signMessage({ message: text }) })).body
        .code
    const changes: Record<string, string> = {
      'another domain': message.replace('tollbook.example', 'evil.example'),
      'another scheme': `https://${message}`,
      'another URI': message.replace(`URI: ${BASE_URL}`, 'URI: https://evil.example'),
      'another chain': message.replace('Chain ID: 8453', 'Chain ID: 1'),
      'another wallet': message.replace(merchant.address, rival.address),
      'a wallet without checksum': message.replace(merchant.address, MERCHANT),
      'another statement': message.replace('Honest', 'Other'),
      'another disclosure': message.replace(WALLETS[0] ?? '', WALLETS[1] ?? ''),
      'one resource less': message.replace(/\n- did:.*$/, ''),
      'another action': message.replace('I claim', 'I withdraw'),
      'a later expiry': message.replace('T12:45', 'T23:45'),
      'an end': `${message}\n`,
      'other line breaks': message.replaceAll('\n', '\r\n'),
      'another nonce': message.replace(/Nonce: .{32}/, `Nonce: ${'0'.repeat(32)}`),
      'a wildcard for a nonce': message.replace(/Nonce: .{32}/, `Nonce: ${'%'.repeat(32)}`),
      nothing: '',
    }
    for (const [name, text] of Object.entries(changes))
      assert.equal(await send(text), 'challenge_not_open', name)
    assert.equal(await send(changes['another wallet'] ?? '', rival), 'challenge_not_open')
    assert.equal(await send(message, rival), 'signature_invalid')

    clock.now = new Date(CLAIMED_AT.getTime() + 15 * MINUTE_MS)
    assert.equal(await send(message), 'challenge_not_open')
    clock.now = new Date(CLAIMED_AT.getTime() + 15 * MINUTE_MS - 1)
    assert.equal(await send(message), undefined)
    assert.equal(await send(message), 'challenge_not_open')
    assert.equal(await readClaim(state, RIVAL), null)
  },
)

onSqliteState('fields sent with a signed text must match the text', async (state) => {
  const { challenge, post } = await openClaiming(state)
  const { message } = (await challenge({ statement: 'Honest words.', disclosures: WALLETS })).body
  const signed = { message, signature: await merchant.signMessage({ message }) }
  for (const [parameter, other] of [
    ['statement', 'Other words.'],
    ['statement', null],
    ['disclosures', [WALLETS[0]]],
    ['disclosures', []],
    ['max_price_usd', '250'],
  ] as const) {
    const { status, body } = await post('/claims', { ...signed, [parameter]: other })
    assert.deepEqual([status, body.issues?.[0]?.parameter], [400, parameter])
  }
  assert.equal((await post('/claims', signed)).status, 201)
})

onEveryState('five wrong signatures close a text, and an unreachable chain does not', async (state) => {
  const outage = { isSignedBy: () => Promise.reject(new Unreachable('down')) }
  const cut = await openClaiming(state, { wallets: outage })
  const { message } = (await cut.challenge()).body
  const signature = await merchant.signMessage({ message })
  for (let tries = 0; tries < 10; tries++) {
    const { status, headers } = await cut.post('/claims', { message, signature })
    assert.deepEqual([status, headers.get('retry-after')], [503, '5'])
  }
  const { post } = await openClaiming(state)
  const wrong = await rival.signMessage({ message })
  const codes: unknown[] = []
  for (let tries = 0; tries < 6; tries++)
    codes.push((await post('/claims', { message, signature: wrong })).body.code)
  assert.deepEqual(codes, [...Array.from({ length: 5 }, () => 'signature_invalid'), 'challenge_not_open'])
})

onSqliteState('issuing and accepting challenges is rate limited', async (state) => {
  const { challenge } = await openClaiming(state, { claimsPerMinute: 20 })
  const statuses: number[] = []
  for (let tries = 0; tries < 60; tries++) statuses.push((await challenge()).status)
  assert.deepEqual(statuses.slice(0, 20), Array(20).fill(201))
  // The limit refills one token every three seconds.
  assert.ok(statuses.includes(429))

  // A separate service starts with empty limits; a wallet's changes of the day are counted in the state.
  for (let changes = 0; changes < 20; changes++) {
    const fresh = await openClaiming(state)
    fresh.clock.now = new Date(CLAIMED_AT.getTime() + changes * MINUTE_MS)
    assert.equal((await fresh.claim()).status, 201)
  }
  const { challenge: ask, clock: later } = await openClaiming(state)
  later.now = new Date(CLAIMED_AT.getTime() + 60 * MINUTE_MS)
  assert.equal((await ask()).body.code, 'rate_limited')
  later.now = new Date(CLAIMED_AT.getTime() + 24 * 60 * MINUTE_MS)
  assert.equal((await ask()).status, 201)
})

onEveryState(
  'strangers who ask for texts of a wallet from many addresses do not lock its owner out',
  async (state) => {
    const { app } = await openClaiming(state, { claimsPerMinute: 20 })
    const send = async (path: string, body: unknown, remoteAddress: string) => {
      const init = {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }
      const response = await app.request(path, init, { incoming: { socket: { remoteAddress } } } as never)
      return { status: response.status, body: (await response.json()) as { message: string } }
    }
    const ask = (address: string) => send('/claims/challenge', { address: MERCHANT }, address)
    for (let stranger = 1; stranger <= 10; stranger++)
      for (let tries = 0; tries < 20; tries++) assert.equal((await ask(`198.51.100.${stranger}`)).status, 201)
    const { status, body } = await ask('203.0.113.1')
    assert.equal(status, 201)
    const signature = await merchant.signMessage({ message: body.message })
    assert.equal((await send('/claims', { message: body.message, signature }, '203.0.113.1')).status, 201)
  },
)

onEveryState('at most 100,000 texts are stored; the oldest make room', async (state) => {
  const { post, challenge, clock } = await openClaiming(state)
  const first = (await challenge()).body
  const [row] = await state.db.selectFrom('claim_challenge').selectAll().execute()
  assert.ok(row)
  for (let at = 0; at < 100_000; at += 1_000) {
    const rows = Array.from({ length: 1_000 }, (_, of) => ({
      ...row,
      nonce: (at + of).toString(16).padStart(32, '0'),
      expires_at: row.expires_at + 1 + at,
    }))
    await state.db.insertInto('claim_challenge').values(rows).execute()
  }
  clock.now = new Date(CLAIMED_AT.getTime() + MINUTE_MS)
  const { message } = (await challenge()).body
  const count = state.db.selectFrom('claim_challenge').select(({ fn }) => fn.countAll().as('count'))
  assert.equal(Number((await count.executeTakeFirstOrThrow()).count), 100_000)
  const signed = async (text: string) => ({
    message: text,
    signature: await merchant.signMessage({ message: text }),
  })
  assert.equal((await post('/claims', await signed(first.message))).body.code, 'challenge_not_open')
  assert.equal((await post('/claims', await signed(message))).status, 201)
})
