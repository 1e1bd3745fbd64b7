import assert from 'node:assert/strict'
import { Writable } from 'node:stream'
import { MERCHANT, openClaiming } from '@tollbook/testing/report/claiming'
import { onEveryState, onSqliteState } from '@tollbook/testing/state/every-state'
import { pino } from 'pino'
import { closeDispute, listDisputes } from '../claims/disputes.ts'

const NOTE = {
  address: MERCHANT,
  week: '2026-11-15',
  contact: 'ann@shop.example',
  text: 'Two buyers are one.\nSee 0x12.',
}

onEveryState('a note is stored for the operator and visible to nobody else', async (state) => {
  const lines: string[] = []
  const sink = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk))
      done()
    },
  })
  const { app, post } = await openClaiming(state, { logger: pino({ level: 'trace' }, sink) })
  const before = await (await app.request(`/merchants/base/${MERCHANT}.json`)).text()
  const { status, body } = await post('/disputes', NOTE)
  assert.deepEqual([status, body.status], [201, 'open'])
  const [retained, ...others] = await listDisputes(state, { isOpen: true, max: 10 })
  assert.deepEqual(others, [])
  const { id, receivedAt: _receivedAt, closedAt, ...note } = retained ?? assert.fail('nothing is kept')
  assert.deepEqual([id, closedAt, note], [body.id, null, NOTE])

  assert.equal(await (await app.request(`/merchants/base/${MERCHANT}.json`)).text(), before)
  const pages = [
    '/',
    '/claims',
    `/merchants/base/${MERCHANT}`,
    `/merchants/base/${MERCHANT}/claim.json`,
    '/metrics',
  ]
  for (const path of pages)
    assert.doesNotMatch(await (await app.request(path)).text(), /ann@shop|Two buyers/, path)
  assert.ok(lines.length > 0)
  assert.doesNotMatch(lines.join(''), /ann@shop|Two buyers/)

  assert.equal(await closeDispute(state, id, new Date()), true)
  assert.equal(await closeDispute(state, id, new Date()), false)
  assert.equal(await closeDispute(state, '%', new Date()), false)
  assert.deepEqual(await listDisputes(state, { isOpen: true, max: 10 }), [])
  assert.equal((await listDisputes(state, { isOpen: false, max: 10 })).length, 1)
})

onEveryState('a client can send five notes a day, regardless of headers', async (state) => {
  const { app, clock } = await openClaiming(state)
  const send = async (remoteAddress: string, headers: Record<string, string> = {}) => {
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(NOTE),
    }
    // The properties of Node's request object that the service reads.
    return app.request('/disputes', init, { incoming: { socket: { remoteAddress } } } as never)
  }
  const answers = await Promise.all(Array.from({ length: 12 }, () => send('203.0.113.7')))
  assert.equal(answers.filter(({ status }) => status === 201).length, 5)
  const refused = answers.find(({ status }) => status === 429)
  // 11.5 hours to midnight.
  assert.equal(refused?.headers.get('retry-after'), String(11.5 * 3600))
  assert.equal((await send('203.0.113.7', { 'x-forwarded-for': '198.51.100.1' })).status, 429)
  assert.equal((await send('203.0.113.8')).status, 201)
  // The /64 of an IPv6 address is one client.
  for (let host = 1; host <= 5; host++) assert.equal((await send(`2001:db8::${host}`)).status, 201)
  assert.equal((await send('2001:db8::ffff')).status, 429)
  assert.equal((await send('2001:db8:0:1::1')).status, 201)

  clock.now = new Date('2026-11-16T00:00:00Z')
  assert.equal((await send('203.0.113.7')).status, 201)
  const retained = await state.db.selectFrom('dispute_quota').select(['day', 'client', 'disputes']).execute()
  assert.deepEqual(retained, [{ day: '2026-11-16', client: '203.0.113.7', disputes: 1 }])
})

onSqliteState('malformed notes are rejected, each with its issue', async (state) => {
  const { post } = await openClaiming(state)
  const issues: readonly [Record<string, unknown>, string][] = [
    [{ address: '0x%' }, 'address'],
    [{ week: 'last' }, 'week'],
    [{ week: '2026-02-30' }, 'week'],
    [{ contact: 'a'.repeat(201) }, 'contact'],
    [{ contact: 'a\nb' }, 'contact'],
    [{ text: '' }, 'text'],
    [{ text: '   ' }, 'text'],
    [{ text: 'x'.repeat(4_001) }, 'text'],
    [{ text: 'clear \u001b[2J the screen' }, 'text'],
    [{ further: 1 }, 'further'],
  ]
  for (const [change, parameter] of issues) {
    const { status, body } = await post('/disputes', { ...NOTE, ...change })
    assert.deepEqual(
      [status, body.issues?.[0]?.parameter],
      [400, parameter],
      JSON.stringify(change).slice(0, 60),
    )
  }
  assert.deepEqual(await listDisputes(state, { isOpen: false, max: 10 }), [])
})

onSqliteState('a form sent without script gets a page as response', async (state) => {
  const { app } = await openClaiming(state)
  const send = (fields: Record<string, string>) =>
    app.request('/disputes', {
      method: 'POST',
      headers: { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(fields).toString(),
    })
  const taken = await send({ address: MERCHANT, week: '', contact: '', text: 'one\r\ntwo' })
  assert.equal(taken.status, 200)
  const [retained] = await listDisputes(state, { isOpen: true, max: 10 })
  assert.deepEqual([retained?.text, retained?.week, retained?.contact], ['one\ntwo', null, null])
  assert.ok((await taken.text()).includes(retained?.id ?? 'absent'))
  const refused = await send({ address: MERCHANT })
  assert.equal(refused.status, 400)
  assert.match(refused.headers.get('content-type') ?? '', /^text\/html/)
})
