import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { createSafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import { openReceiver, type ReceiverAnswer } from '@tollbook/testing/report/alert-receiver'
import { storeClaim } from '@tollbook/testing/report/store-claim'
import { onEveryState, onEveryStateUrl, onSqliteState } from '@tollbook/testing/state/every-state'
import { openStateAt } from '@tollbook/testing/state/open-state-at'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import type { State } from '../../state/state.ts'
import { registerAlertGauges } from './alert-gauges.ts'
import { alertOutbox } from './alert-outbox.ts'
import { deliverAlerts } from './deliver-alerts.ts'
import { ALERT_EVENTS, createWebhook, listWebhooks } from './webhooks.ts'

const DELIVERER = join(import.meta.dirname, '../../../../../packages/testing/src/report/deliver-once.ts')
const ADDRESS = `0x${'a'.repeat(40)}` as const
const WISH = { events: ALERT_EVENTS, rankPlaces: 10, dropPercent: 50 }
const ALERT = { event: 'flag.new', key: 'self_pay 2026-11-15', data: { flag: 'self_pay' } } as const

/** A webhook with a queued alert, and a clock that only the test moves. */
async function openAlerts(state: State, context: TestContext, answer?: ReceiverAnswer) {
  const receiver = await openReceiver(context, answer)
  const clock = { ms: Date.now() }
  const now = () => new Date(clock.ms)
  await storeClaim(state, { address: ADDRESS })
  const webhook = await createWebhook(state, { ...WISH, address: ADDRESS, url: receiver.url }, now())
  await alertOutbox.queue(state.db, { webhook: webhook.id, events: [ALERT], at: now() })
  const fetch = createSafeFetch({ allowPrivateNetwork: true })
  const logger = pino({ level: 'silent' })
  const deliver = () => deliverAlerts({ state, fetch, logger, now }, new AbortController().signal)
  return { receiver, clock, webhook, deliver, now }
}

onEveryState('the alerts are counted by their outcome', async (state, context) => {
  const { webhook, now, deliver } = await openAlerts(state, context)
  assert.equal(await deliver(), 1)
  const events = Array.from({ length: 30 }, (_, at) => ({ ...ALERT, key: `${at}` }))
  await alertOutbox.queue(state.db, { webhook: webhook.id, events, at: now() })
  const registry = new Registry()
  registerAlertGauges(registry, state)
  const metrics = await registry.metrics()
  assert.match(metrics, /^tollbook_report_alerts\{outcome="pending"\} 30$/m)
  assert.match(metrics, /^tollbook_report_alerts\{outcome="delivered"\} 1$/m)
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
  const { deliver, webhook } = await openAlerts(state, context, { status: 410 })
  await deliver()
  assert.deepEqual([await listWebhooks(state), await alertOutbox.list(state.db, webhook.id)], [[], []])
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
