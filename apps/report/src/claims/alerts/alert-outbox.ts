import { Outbox, type OutboxEvent } from '@tollbook/webhooks/outbox'
import type { AlertEvent } from './webhooks.ts'

export type Alert = OutboxEvent & { readonly event: AlertEvent | 'test' }

/** The alerts that are to be delivered to webhooks of merchants. */
export const alertOutbox = new Outbox({
  webhooks: 'alert_webhook',
  holder: 'address',
  deliveries: 'alert_delivery',
})
