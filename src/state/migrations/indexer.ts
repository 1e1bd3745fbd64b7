import type { Migration } from './migration.ts'

/** Coverage and checkpoints of the indexer. */
export const index: Migration = {
  name: '0005-index',
  async up({ schema }) {
    await schema
      .createTable('index_chain')
      .addColumn('chain', 'text', (column) => column.primaryKey())
      .addColumn('first_block', 'bigint', (column) => column.notNull())
      .addColumn('next_block', 'bigint', (column) => column.notNull())
      .addColumn('changed_at', 'bigint', (column) => column.notNull())
      .execute()

    await schema
      .createTable('index_chunk')
      .addColumn('chain', 'text', (column) => column.notNull())
      .addColumn('attempt', 'bigint', (column) => column.notNull())
      .addColumn('first_block', 'bigint', (column) => column.notNull())
      .addColumn('end_block', 'bigint', (column) => column.notNull())
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('payments', 'bigint', (column) => column.notNull())
      .addColumn('misses', 'bigint', (column) => column.notNull())
      .addColumn('changed_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('index_chunk_key', ['chain', 'attempt'])
      .execute()

    await schema
      .createTable('index_checkpoint')
      .addColumn('chain', 'text', (column) => column.notNull())
      .addColumn('block', 'bigint', (column) => column.notNull())
      .addColumn('hash', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('index_checkpoint_key', ['chain', 'block'])
      .execute()
  },
}

/** Coverage of transfers out of merchants and into buyers. */
export const transfers: Migration = {
  name: '0009-transfers',
  async up({ schema }) {
    await schema
      .createTable('transfer_span')
      .addColumn('chain', 'text', (column) => column.notNull())
      .addColumn('direction', 'text', (column) => column.notNull())
      .addColumn('wallet', 'text', (column) => column.notNull())
      .addColumn('first_block', 'bigint', (column) => column.notNull())
      .addColumn('end_block', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('transfer_span_key', ['chain', 'direction', 'wallet', 'first_block'])
      .execute()

    await schema
      .createTable('transfer_chunk')
      .addColumn('chain', 'text', (column) => column.notNull())
      .addColumn('attempt', 'bigint', (column) => column.notNull())
      .addColumn('direction', 'text', (column) => column.notNull())
      .addColumn('first_block', 'bigint', (column) => column.notNull())
      .addColumn('end_block', 'bigint', (column) => column.notNull())
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('transfers', 'bigint', (column) => column.notNull())
      .addColumn('changed_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('transfer_chunk_key', ['chain', 'attempt'])
      .execute()
  },
}

/** Start of the retained payments. */
export const ledgerRetention: Migration = {
  name: '0012-ledger-retention',
  async up({ schema }) {
    await schema.alterTable('index_chain').addColumn('dropped_until', 'bigint').execute()
  },
}

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
