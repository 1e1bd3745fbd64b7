import * as facilitator from '../../facilitator/state/migrations.ts'
import * as payments from '../../payments/state/migrations.ts'
import * as claims from '../../report/state/claim-migrations.ts'
import * as indexer from '../../report/state/index-migrations.ts'
import * as report from '../../report/state/migrations.ts'
import * as social from '../../social/state/migrations.ts'
import type { Migration } from '../../state/migration.ts'
import * as wallet from '../../utility/state/migrations.ts'

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
