import * as facilitator from '@tollbook/facilitator/state/migrations'
import * as payments from '@tollbook/gate/state/migrations'
import * as claims from '@tollbook/report/state/claim-migrations'
import * as indexer from '@tollbook/report/state/index-migrations'
import * as report from '@tollbook/report/state/migrations'
import * as social from '@tollbook/social/state/migrations'
import type { Migration } from '@tollbook/store/migration'
import * as wallet from '@tollbook/utility/state/migrations'

/** Every migration by number: the baseline of each area, and what came after. */
export const MIGRATIONS: readonly Migration[] = [
  claims,
  facilitator,
  indexer,
  payments,
  report,
  social,
  wallet,
]
  .flatMap((area): Migration[] => Object.values(area))
  .sort((a, b) => (a.name < b.name ? -1 : 1))
