import { createHmac, randomBytes } from 'node:crypto'

const PREFIX = 'whsec_'
/** The specification recommends 24 to 64. */
const SECRET_BYTES = 32

/** A new secret of a webhook, as Standard Webhooks writes it: `whsec_` and base64. */
export function createWebhookSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64')
}

export type WebhookMessage = {
  /** The same for every attempt to deliver it. */
  readonly id: string
  readonly body: string
  readonly sentAt: Date
}

/**
 * The headers by which a receiver recognises a message and its sender.
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export function toWebhookHeaders(secret: string, { id, body, sentAt }: WebhookMessage) {
  const timestamp = String(Math.floor(sentAt.getTime() / 1000))
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` }
}
