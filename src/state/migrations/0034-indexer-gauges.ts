import type { Migration } from './migration.ts'

/** What the indexer counts, for the metrics of the report service, which may be another process. */
export const indexerGauges: Migration = {
  name: '0034-indexer-gauges',
  async up({ schema }) {
    await schema
      .createTable('report_indexer_gauges')
      .addColumn('gauge', 'text', (column) => column.notNull())
      .addColumn('label', 'text', (column) => column.notNull())
      .addColumn('value', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('report_indexer_gauges_key', ['gauge', 'label'])
      .execute()
  },
}
