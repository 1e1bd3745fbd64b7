import type { Address } from '@tollbook/chain/hex'
import { type Delivering, deliverDue } from '@tollbook/webhooks/deliver-due'
import type { State } from '../../state/state.ts'
import { alertOutbox } from './alert-outbox.ts'
import { deleteWebhook } from './webhooks.ts'

/** Sends the alerts that are due. @returns how many were delivered. */
export function deliverAlerts(
  { state, ...delivering }: Pick<Delivering, 'fetch' | 'logger' | 'now'> & { readonly state: State },
  signal: AbortSignal,
): Promise<number> {
  return deliverDue(
    {
      ...delivering,
      db: state.db,
      outbox: alertOutbox,
      // An address, as stored by createWebhook.
      deleteWebhook: ({ webhook, holder }) =>
        deleteWebhook(state, { id: webhook, address: holder as Address }),
    },
    signal,
  )
}
