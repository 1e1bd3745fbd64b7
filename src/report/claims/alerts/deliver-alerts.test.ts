import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { Webhook } from 'standardwebhooks'
import { openReceiver, type ReceiverAnswer } from '../../../../testing/report/alert-receiver.ts'
import { storeClaim } from '../../../../testing/report/store-claim.ts'
import { onEveryState, onEveryStateUrl, onSqliteState } from '../../../../testing/state/every-state.ts'
import { openStateAt } from '../../../../testing/state/open-state-at.ts'
import { createSafeFetch } from '../../../fetching/safe-fetch.ts'
import type { State } from '../../state/state.ts'
import { registerAlertGauges } from './alert-gauges.ts'
import { deliverAlerts } from './deliver-alerts.ts'
import { countPending, listDeliveries, queueAlerts, takeDue } from './outbox.ts'
import { ALERT_EVENTS, createWebhook, listWebhooks } from './webhooks.ts'

const DELIVERER = join(import.meta.dirname, '../../../../testing/report/deliver-once.ts')
const ADDRESS = `0x${'a'.repeat(40)}` as const
const WISH = { events: ALERT_EVENTS, rankPlaces: 10, dropPercent: 50 }
const ALERT = { event: 'flag.new', key: 'self_pay 2026-11-15', data: { flag: 'self_pay' } } as const
const HOUR_MS = 3_600_000

/** A webhook with a queued alert, and a clock that only the test moves. */
async function openAlerts(state: State, context: TestContext, answer?: ReceiverAnswer) {
  const receiver = await openReceiver(context, answer)
  const clock = { ms: Date.now() }
  const now = () => new Date(clock.ms)
  await storeClaim(state, { address: ADDRESS })
  const webhook = await createWebhook(state, { ...WISH, address: ADDRESS, url: receiver.url }, now())
  await queueAlerts(state.db, { webhook, alerts: [ALERT], at: now() })
  const logged: string[] = []
  const deliver = (mayBePrivate = true) =>
    deliverAlerts(
      {
        state,
        fetch: createSafeFetch({ allowPrivateNetwork: mayBePrivate }),
        logger: pino({ level: 'trace' }, { write: (line) => logged.push(line) }),
        now,
      },
      new AbortController().signal,
    )
  const shown = async () =>
    (await listDeliveries(state, webhook.id)).map(({ outcome, attempts, lastAnswer }) => [
      outcome,
      attempts,
      lastAnswer,
    ])
  return { receiver, clock, webhook, deliver, shown, now, logged }
}

onEveryState('the public verifier accepts a delivered alert', async (state, context) => {
  const { receiver, webhook, deliver, shown } = await openAlerts(state, context)
  assert.equal(await deliver(), 1)
  assert.equal(await deliver(), 0)
  const [{ headers, body } = { headers: {}, body: '' }, ...more] = receiver.received
  assert.deepEqual(more, [])
  const alert = new Webhook(webhook.secret).verify(body, headers) as Record<string, unknown>
  assert.deepEqual([alert.type, alert.data], ['flag.new', ALERT.data])
  assert.match(headers['webhook-id'] ?? '', /^msg_[0-9a-f]{32}$/)
  assert.equal(headers['content-type'], 'application/json')
  assert.deepEqual(await shown(), [['delivered', 1, '204']])
})

onEveryState('an alert is queued once, and a receiver that is full gets no more', async (state, context) => {
  const { webhook, now } = await openAlerts(state, context)
  assert.equal(await queueAlerts(state.db, { webhook, alerts: [ALERT], at: now() }), 0)
  const alerts = Array.from({ length: 120 }, (_, at) => ({ ...ALERT, key: `${at}` }))
  assert.equal(await queueAlerts(state.db, { webhook, alerts, at: now() }), 99)
  assert.equal(await queueAlerts(state.db, { webhook, alerts: [{ ...ALERT, key: 'more' }], at: now() }), 0)
  assert.equal(await countPending(state.db, webhook.id), 100)
  const registry = new Registry()
  registerAlertGauges(registry, state)
  assert.match(await registry.metrics(), /^tollbook_report_alerts\{outcome="pending"\} 100$/m)
})

onEveryState('wallets take turns, however many alerts of one are due', async (state, context) => {
  const { receiver, webhook, now } = await openAlerts(state, context)
  const alerts = Array.from({ length: 99 }, (_, at) => ({ ...ALERT, key: `${at}` }))
  await queueAlerts(state.db, { webhook, alerts, at: now() })
  const address = `0x${'b'.repeat(40)}` as const
  await storeClaim(state, { address })
  const other = await createWebhook(state, { ...WISH, address, url: receiver.url }, now())
  await queueAlerts(state.db, { webhook: other, alerts: [ALERT], at: new Date(now().getTime() + 1) })
  const due = await takeDue(state, new Date(now().getTime() + 1), 2)
  assert.deepEqual(
    due.map((delivery) => delivery.address),
    [ADDRESS, address],
  )
})

onEveryState(
  'a failed delivery is repeated with the same id, and given up after ten attempts',
  async (state, context) => {
    const { receiver, clock, webhook, deliver, shown, logged } = await openAlerts(state, context, {
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
  const { receiver, clock, deliver, shown } = await openAlerts(state, context, {
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

onEveryState('a wallet without a claim in force gets no webhook', async (state) => {
  const wish = { ...WISH, address: ADDRESS, url: 'https://shop.example/' }
  const create = () => createWebhook(state, wish, new Date(0))
  await assert.rejects(create(), /^ProblemError: not_found/)
  await storeClaim(state, { address: ADDRESS })
  await create()
  await storeClaim(state, { address: ADDRESS, action: 'withdraw' })
  await assert.rejects(create(), /^ProblemError: not_found/)
  assert.equal((await listWebhooks(state, ADDRESS)).length, 1)
})

onSqliteState('410 deletes the webhook', async (state, context) => {
  const { deliver, shown } = await openAlerts(state, context, { status: 410 })
  await deliver()
  assert.deepEqual([await listWebhooks(state), await shown()], [[], []])
})

onSqliteState('a webhook on a private network is never contacted', async (state, context) => {
  const { receiver, deliver, shown } = await openAlerts(state, context)
  assert.equal(await deliver(false), 0)
  assert.deepEqual(receiver.received, [])
  assert.deepEqual(await shown(), [['pending', 1, 'Unreachable']])
})

onEveryState('two processes deliver each alert once', async (state, context) => {
  const { receiver, webhook, deliver, now } = await openAlerts(state, context)
  const alerts = Array.from({ length: 30 }, (_, at) => ({ ...ALERT, key: `${at}` }))
  await queueAlerts(state.db, { webhook, alerts, at: now() })
  const counts = await Promise.all([deliver(), deliver(), deliver()])
  assert.equal(
    counts.reduce((sum, count) => sum + count),
    31,
  )
  assert.equal(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size, 31)
  assert.equal(receiver.received.length, 31)
})

onEveryStateUrl(
  'an alert survives kill -9 during its delivery, and is repeated with its id',
  async (url, context) => {
    const state = await openStateAt(url)
    try {
      const { receiver, clock, deliver } = await openAlerts(state, context, 'silence')
      const child = spawn(process.execPath, [DELIVERER, url], { stdio: 'inherit' })
      context.after(() => child.kill('SIGKILL'))
      while (receiver.received.length === 0) await wait(20)
      child.kill('SIGKILL')
      await once(child, 'exit')
      receiver.answer = { status: 204 }
      // Not before the killed process would have finished.
      assert.equal(await deliver(), 0)
      clock.ms = Date.now() + 600_000
      assert.equal(await deliver(), 1)
      const [killed, repeated] = receiver.received
      assert.equal(repeated?.headers['webhook-id'], killed?.headers['webhook-id'])
      assert.equal(repeated?.body, killed?.body)
    } finally {
      await state.close()
    }
  },
)
