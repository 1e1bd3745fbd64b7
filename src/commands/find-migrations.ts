import * as facilitator from '../facilitator/state/migrations.ts'
import * as payments from '../payments/state/migrations.ts'
import type { Migration } from '../state/migration.ts'
import { findApp, findPaidApps } from './apps.ts'

/** The migrations of payments and of all installed apps, by number. */
export async function findMigrations(): Promise<readonly Migration[]> {
  const own = [facilitator, payments].flatMap((area): Migration[] => Object.values(area))
  const apps = [...(await findPaidApps()), await findApp('report')]
  return [...own, ...apps.flatMap((app) => app?.migrations ?? [])].sort((a, b) => (a.name < b.name ? -1 : 1))
}
