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
