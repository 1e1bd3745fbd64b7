import type { Migration } from './migration.ts'

/** The URL of each paid call, which its signed receipt names. */
export const receiptUrls: Migration = {
  name: '0053-receipt-urls',
  async up({ schema }) {
    await schema.alterTable('paid_call').addColumn('resource_url', 'text').execute()
  },
}
