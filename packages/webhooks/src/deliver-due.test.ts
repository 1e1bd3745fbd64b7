import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { TestContext } from 'node:test'
import { createSafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import { openReceiver, type ReceiverAnswer } from '@tollbook/testing/report/alert-receiver'
import { onEveryState, onSqliteState } from '@tollbook/testing/state/every-state'
import { type QueryExecutorProvider, sql } from 'kysely'
import { Webhook } from 'standardwebhooks'
import { deliverDue } from './deliver-due.ts'
import { Outbox, type OutboxEvent } from './outbox.ts'
import { createWebhookSecret } from './sign-webhook.ts'

const EVENT = { event: 'order.paid', key: 'order 1', data: { order: 1 } } as const
const HOUR_MS = 3_600_000
/** Of a shop that sends its customers what happens to their orders. */
const outbox = new Outbox({ webhooks: 'shop_hook', holder: 'customer', deliveries: 'shop_message' })

async function createTables(db: QueryExecutorProvider): Promise<void> {
  await sql`create table if not exists shop_hook (
    id text primary key, customer text not null, url text not null, secret text not null)`.execute(db)
  await sql`create table if not exists shop_message (
    id text primary key, webhook text not null, event text not null, body text not null,
    created_at bigint not null, attempts bigint not null, next_attempt_at bigint, outcome text not null,
    last_answer text)`.execute(db)
}

async function addWebhook(db: QueryExecutorProvider, customer: string, url: string) {
  const [id, secret] = [randomUUID(), createWebhookSecret()]
  await sql`insert into shop_hook (id, customer, url, secret)
    values (${id}, ${customer}, ${url}, ${secret})`.execute(db)
  return { id, secret, url }
}

/** A webhook with a queued event, and a clock that only the test moves. */
async function openOutbox(
  { db }: { readonly db: QueryExecutorProvider },
  context: TestContext,
  answer?: ReceiverAnswer,
) {
  const receiver = await openReceiver(context, answer)
  const clock = { ms: Date.now() }
  const now = () => new Date(clock.ms)
  await createTables(db)
  const webhook = await addWebhook(db, 'ada', receiver.url)
  const queue = (...events: readonly OutboxEvent[]) =>
    outbox.queue(db, { webhook: webhook.id, events, at: now() })
  await queue(EVENT)
  const logged: string[] = []
  const gone: unknown[] = []
  const deliver = (mayBePrivate = true) =>
    deliverDue(
      {
        db,
        outbox,
        fetch: createSafeFetch({ allowPrivateNetwork: mayBePrivate }),
        logger: { info: (fields, message) => logged.push(JSON.stringify({ ...fields, message })) },
        now,
        deleteWebhook: async ({ webhook, holder }) => gone.push([webhook, holder]),
      },
      new AbortController().signal,
    )
  const shown = async () =>
    (await outbox.list(db, webhook.id)).map(({ outcome, attempts, lastAnswer }) => [
      outcome,
      attempts,
      lastAnswer,
    ])
  return { receiver, clock, webhook, queue, deliver, shown, now, logged, gone }
}

onEveryState('the public verifier accepts what is delivered', async (state, context) => {
  const { receiver, webhook, deliver, shown } = await openOutbox(state, context)
  assert.equal(await deliver(), 1)
  assert.equal(await deliver(), 0)
  const [{ headers, body } = { headers: {}, body: '' }, ...more] = receiver.received
  assert.deepEqual(more, [])
  const event = new Webhook(webhook.secret).verify(body, headers) as Record<string, unknown>
  assert.deepEqual([event.type, event.data], ['order.paid', EVENT.data])
  assert.match(headers['webhook-id'] ?? '', /^msg_[0-9a-f]{32}$/)
  assert.equal(headers['content-type'], 'application/json')
  assert.deepEqual(await shown(), [['delivered', 1, '204']])
})

onEveryState('an event is queued once, and a receiver that is full gets no more', async (state, context) => {
  const { webhook, queue } = await openOutbox(state, context)
  assert.equal(await queue(EVENT), 0)
  assert.equal(await queue(...Array.from({ length: 120 }, (_, at) => ({ ...EVENT, key: `${at}` }))), 99)
  assert.equal(await queue({ ...EVENT, key: 'more' }), 0)
  assert.equal(await outbox.countPending(state.db, webhook.id), 100)
})

onEveryState('an event is sent if and only if its transaction is committed', async (state, context) => {
  const { webhook, now, deliver } = await openOutbox(state, context)
  assert.equal(await deliver(), 1)
  const paid = (key: string, isRefused = false) =>
    state.db.transaction().execute(async (transaction) => {
      const events = [{ ...EVENT, key }]
      assert.equal(await outbox.queue(transaction, { webhook: webhook.id, events, at: now() }), 1)
      if (isRefused) throw new Error('refused')
    })
  await assert.rejects(paid('order 2', true), /refused/)
  assert.equal(await deliver(), 0)
  await paid('order 2')
  assert.equal(await deliver(), 1)
})

onEveryState('holders take turns, however many events of one are due', async (state, context) => {
  const { receiver, queue, now } = await openOutbox(state, context)
  await queue(...Array.from({ length: 99 }, (_, at) => ({ ...EVENT, key: `${at}` })))
  const other = await addWebhook(state.db, 'bob', receiver.url)
  const later = new Date(now().getTime() + 1)
  await outbox.queue(state.db, { webhook: other.id, events: [EVENT], at: later })
  const due = await outbox.takeDue(state.db, later, 2)
  assert.deepEqual(
    due.map(({ holder }) => holder),
    ['ada', 'bob'],
  )
})

onEveryState(
  'a failed delivery is repeated with the same id, and given up after ten attempts',
  async (state, context) => {
    const { receiver, clock, webhook, deliver, shown, logged } = await openOutbox(state, context, {
      status: 500,
    })
    // The schedule that Standard Webhooks recommends, seconds after the attempt before.
    for (const seconds of [0, 5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]) {
      clock.ms += 1_000 * seconds - 1
      const before = receiver.received.length
      if (seconds > 0) await deliver()
      assert.equal(receiver.received.length, before)
      clock.ms += 1
      await deliver()
      assert.equal(receiver.received.length, before + 1)
    }
    assert.deepEqual(await shown(), [['given_up', 10, '500']])
    const [line = '', ...more] = logged
    assert.deepEqual([JSON.parse(line).webhook, more], [webhook.id, []])
    // Neither the URL nor the secret.
    assert(!line.includes(receiver.url) && !line.includes(webhook.secret))
    assert.equal(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size, 1)
    clock.ms += 7 * 24 * HOUR_MS
    assert.equal(await deliver(), 0)
    assert.equal(receiver.received.length, 10)
    // Finished deliveries are listed for a week.
    assert.deepEqual(await shown(), [])
  },
)

onSqliteState('a redirect is a failure, and Retry-After is obeyed', async (state, context) => {
  const other = await openReceiver(context)
  const { receiver, clock, deliver, shown } = await openOutbox(state, context, {
    status: 307,
    headers: { location: other.url },
  })
  await deliver()
  assert.deepEqual(await shown(), [['pending', 1, '307']])
  receiver.answer = { status: 429, headers: { 'retry-after': '3600' } }
  clock.ms += 5_000
  await deliver()
  receiver.answer = { status: 200 }
  clock.ms += HOUR_MS - 1
  assert.equal(await deliver(), 0)
  clock.ms += 1
  assert.equal(await deliver(), 1)
  assert.deepEqual([receiver.received.length, other.received.length], [3, 0])
})

onSqliteState('410 asks the owner to delete the webhook', async (state, context) => {
  const { deliver, gone, webhook } = await openOutbox(state, context, { status: 410 })
  await deliver()
  assert.deepEqual(gone, [[webhook.id, 'ada']])
})

onSqliteState('a webhook on a private network is never contacted', async (state, context) => {
  const { receiver, deliver, shown } = await openOutbox(state, context)
  assert.equal(await deliver(false), 0)
  assert.deepEqual(receiver.received, [])
  assert.deepEqual(await shown(), [['pending', 1, 'Unreachable']])
})

onEveryState('two processes deliver each event once', async (state, context) => {
  const { receiver, queue, deliver } = await openOutbox(state, context)
  await queue(...Array.from({ length: 30 }, (_, at) => ({ ...EVENT, key: `${at}` })))
  const counts = await Promise.all([deliver(), deliver(), deliver()])
  assert.equal(
    counts.reduce((sum, count) => sum + count),
    31,
  )
  assert.equal(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size, 31)
  assert.equal(receiver.received.length, 31)
})
