import * as claims from './claims.ts'
import * as facilitator from './facilitator.ts'
import * as indexer from './indexer.ts'
import type { Migration } from './migration.ts'
import * as payments from './payments.ts'
import * as report from './report.ts'
import * as social from './social.ts'
import * as wallet from './wallet.ts'

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
