import * as facilitator from '@tollbook/facilitator/state/migrations'
import * as payments from '@tollbook/gate/state/migrations'
import type { Migration } from '@tollbook/store/migration'
import { findApp, findPaidApps } from './apps.ts'

/** The migrations of payments and of all installed apps, by number. */
export async function findMigrations(): Promise<readonly Migration[]> {
  const own = [facilitator, payments].flatMap((area): Migration[] => Object.values(area))
  const apps = [...(await findPaidApps()), await findApp('report')]
  return [...own, ...apps.flatMap((app) => app?.migrations ?? [])].sort((a, b) => (a.name < b.name ? -1 : 1))
}
