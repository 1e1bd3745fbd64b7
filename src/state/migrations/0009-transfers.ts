import type { Migration } from './migration.ts'

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
