import { migrateState } from '@tollbook/cli/commands/migrations/migrate-state'
import { openState } from '@tollbook/cli/commands/state/open'
import type { State } from '@tollbook/cli/commands/state/state'
import { storeSample } from '@tollbook/testing/report/publish-sample'
import { BUSY, sampleFigures } from '@tollbook/testing/report/sample-figures'

/** Requests rotate through the reports of this many merchants. */
export const SERVED_MERCHANTS = 100
const NOW = new Date('2026-11-15T12:00:05Z')

/** Path of the report of the merchant with this number. */
export function reportPath(index: number): string {
  return `/merchants/base/${addressOf(index)}.json`
}

/** Publishes the same reports, byte for byte, in every process. */
export async function openPublishedSample(url: string): Promise<State> {
  const state = await openState(url)
  await migrateState(state)
  const figures = Array.from({ length: SERVED_MERCHANTS }, (_, index) => ({
    ...BUSY,
    address: addressOf(index),
    rank: index + 1,
  }))
  await storeSample(state, sampleFigures({ merchants: figures }), NOW)
  return state
}

function addressOf(index: number): `0x${string}` {
  return `0x${(index + 1).toString(16).padStart(40, '0')}`
}
