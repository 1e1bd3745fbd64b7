import { openState } from '@tollbook/cli/commands/state/open'
import { deliverAlerts } from '@tollbook/report/claims/alerts/deliver-alerts'
import { createSafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import { pino } from 'pino'

/** Delivers the alerts that are due in the state of argument 2; to be killed. */
await deliverAlerts(
  {
    state: await openState(process.argv[2] ?? ''),
    fetch: createSafeFetch({ allowPrivateNetwork: true }),
    logger: pino({ level: 'silent' }),
    now: () => new Date(),
  },
  new AbortController().signal,
)
