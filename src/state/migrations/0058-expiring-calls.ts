import { sql } from 'kysely'
import type { Migration } from './migration.ts'

/** Finds the calls that housekeeping deletes or empties without reading all calls that were ever settled. */
export const expiringCalls: Migration = {
  name: '0058-expiring-calls',
  isCompatible: true,
  async up({ schema }) {
    await schema
      .createIndex('paid_call_answered')
      .on('paid_call')
      .column('valid_before')
      .where(sql<boolean>`answer_status is not null`)
      .execute()
    await schema
      .createIndex('paid_call_released')
      .on('paid_call')
      .column('valid_before')
      .where(sql<boolean>`state = 'released'`)
      .execute()
    await schema
      .createIndex('paid_call_for_others')
      .on('paid_call')
      .column('valid_before')
      .where(sql<boolean>`service = 'facilitator'`)
      .execute()
  },
}
