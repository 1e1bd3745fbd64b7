import { pino } from 'pino'
import { openState } from '../../src/commands/state/open.ts'
import { createSafeFetch } from '../../src/fetching/safe-fetch.ts'
import { deliverAlerts } from '../../src/report/claims/alerts/deliver-alerts.ts'

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
