import * as payments from '@tollbook/gate/state/migrations'
import { PackageMissing, throwAbsence } from '@tollbook/runtime/process/package-missing'
import type { Migration } from '@tollbook/store/migration'
import { findApp, findPaidApps } from '../apps.ts'

/** The migrations of payments and of all installed parts, by number: the baseline of each, and what came after. */
export async function findMigrations(): Promise<readonly Migration[]> {
  const apps = [...(await findPaidApps()), await findApp('report')]
  return [
    ...Object.values<Migration>(payments),
    ...(await findSettlements()),
    ...apps.flatMap((app) => app?.migrations ?? []),
  ].sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** Those of the facilitator, if it is installed. */
async function findSettlements(): Promise<readonly Migration[]> {
  try {
    return Object.values<Migration>(
      await import('@tollbook/facilitator/state/migrations').catch(throwAbsence),
    )
  } catch (error) {
    if (error instanceof PackageMissing) return []
    throw error
  }
}
