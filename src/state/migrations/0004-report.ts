import type { Migration } from './migration.ts'

/** Listings and published reports. */
export const report: Migration = {
  name: '0004-report',
  async up({ schema }) {
    await schema
      .createTable('report_listing_sources')
      .addColumn('source', 'text', (column) => column.primaryKey())
      .addColumn('collected_at', 'bigint')
      .addColumn('failed_at', 'bigint')
      .addColumn('failure', 'text')
      .execute()

    await schema
      .createTable('report_listings')
      .addColumn('source', 'text', (column) => column.notNull())
      .addColumn('resource', 'text', (column) => column.notNull())
      .addColumn('operation', 'text', (column) => column.notNull())
      .addColumn('host', 'text', (column) => column.notNull())
      .addColumn('pay_to', 'text', (column) => column.notNull())
      .addColumn('price', 'bigint', (column) => column.notNull())
      .addColumn('description', 'text', (column) => column.notNull())
      .addColumn('last_seen', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('report_listings_key', ['source', 'pay_to', 'resource', 'operation'])
      .execute()

    await schema
      .createTable('report_editions')
      .addColumn('edition', 'text', (column) => column.notNull())
      .addColumn('revision', 'bigint', (column) => column.notNull())
      .addColumn('method', 'text', (column) => column.notNull())
      .addColumn('start_block', 'bigint', (column) => column.notNull())
      .addColumn('end_block', 'bigint', (column) => column.notNull())
      .addColumn('window_start', 'bigint', (column) => column.notNull())
      .addColumn('window_end', 'bigint', (column) => column.notNull())
      .addColumn('is_complete', 'bigint', (column) => column.notNull())
      .addColumn('published_at', 'bigint', (column) => column.notNull())
      .addColumn('merchants', 'bigint', (column) => column.notNull())
      .addColumn('tx', 'bigint', (column) => column.notNull())
      .addColumn('amount', 'bigint', (column) => column.notNull())
      .addColumn('real_tx', 'bigint', (column) => column.notNull())
      .addColumn('real_amount', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('report_editions_key', ['edition', 'revision'])
      .execute()

    await schema
      .createTable('reports')
      .addColumn('edition', 'text', (column) => column.notNull())
      .addColumn('revision', 'bigint', (column) => column.notNull())
      .addColumn('address', 'text', (column) => column.notNull())
      .addColumn('etag', 'text', (column) => column.notNull())
      .addColumn('digest', 'text', (column) => column.notNull())
      .addColumn('changed_at', 'bigint', (column) => column.notNull())
      .addColumn('start_block', 'bigint', (column) => column.notNull())
      .addColumn('end_block', 'bigint', (column) => column.notNull())
      .addColumn('window_end', 'bigint', (column) => column.notNull())
      .addColumn('is_frozen', 'bigint', (column) => column.notNull())
      .addColumn('rank', 'bigint')
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('tx', 'bigint', (column) => column.notNull())
      .addColumn('amount', 'bigint', (column) => column.notNull())
      .addColumn('real_tx', 'bigint', (column) => column.notNull())
      .addColumn('real_amount', 'bigint', (column) => column.notNull())
      .addColumn('passing_ppm', 'bigint', (column) => column.notNull())
      .addColumn('buyers', 'bigint', (column) => column.notNull())
      .addColumn('real_buyers', 'bigint', (column) => column.notNull())
      .addColumn('flags', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('reports_key', ['edition', 'address', 'revision'])
      .execute()

    // The ranking order, so that its first page needs no full sort.
    await schema
      .createIndex('reports_by_real_revenue')
      .on('reports')
      .columns(['edition', 'revision', 'is_frozen', 'real_amount desc', 'real_tx desc', 'address'])
      .execute()

    await schema
      .createTable('report_texts')
      .addColumn('edition', 'text', (column) => column.notNull())
      .addColumn('revision', 'bigint', (column) => column.notNull())
      .addColumn('address', 'text', (column) => column.notNull())
      .addColumn('body', 'text', (column) => column.notNull())
      .addColumn('search_text', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('report_texts_key', ['edition', 'address', 'revision'])
      .execute()
  },
}
