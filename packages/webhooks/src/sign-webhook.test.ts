import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { createWebhookSecret, toWebhookHeaders } from './sign-webhook.ts'

test('a signature equals the test vector of the Standard Webhooks libraries', () => {
  assert.deepEqual(
    toWebhookHeaders('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', {
      id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      body: '{"test": 2432232314}',
      sentAt: new Date(1_614_265_330_999),
    }),
    {
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    },
  )
})

test('the public verifier accepts what is signed, and nothing that was changed', () => {
  const secret = createWebhookSecret()
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
  const message = { id: 'msg_1', body: '{"type":"test","text":"Grüße 🌦"}', sentAt: new Date() }
  const headers = toWebhookHeaders(secret, message)
  const verifier = new Webhook(secret)
  assert.deepEqual(verifier.verify(message.body, headers), { type: 'test', text: 'Grüße 🌦' })
  assert.throws(() => verifier.verify(`${message.body} `, headers))
  assert.throws(() => verifier.verify(message.body, { ...headers, 'webhook-id': 'msg_2' }))
  assert.throws(() => new Webhook(createWebhookSecret()).verify(message.body, headers))
  const old = toWebhookHeaders(secret, { ...message, sentAt: new Date(Date.now() - 600_000) })
  assert.throws(() => verifier.verify(message.body, old))
})
