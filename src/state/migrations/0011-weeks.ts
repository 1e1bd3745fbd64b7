import type { Migration } from './migration.ts'

/** Weeks: inputs of the computation, reasons of corrections, and the payments behind them. */
export const weeks: Migration = {
  name: '0011-weeks',
  async up({ schema }) {
    await schema.alterTable('report_editions').addColumn('reason', 'text').execute()
    await schema.alterTable('report_editions').addColumn('basis', 'text').execute()
    await schema.alterTable('report_editions').addColumn('evidence_file', 'text').execute()
    await schema.alterTable('report_editions').addColumn('evidence_sha256', 'text').execute()
    await schema.alterTable('report_editions').addColumn('evidence_bytes', 'bigint').execute()

    await schema.alterTable('reports').addColumn('basis', 'text').execute()
    await schema.alterTable('reports').addColumn('evidence_file', 'text').execute()
    await schema.alterTable('reports').addColumn('evidence_at', 'bigint').execute()
    await schema.alterTable('reports').addColumn('evidence_bytes', 'bigint').execute()
    await schema.alterTable('reports').addColumn('evidence_sha256', 'text').execute()
    await schema
      .createIndex('reports_by_address')
      .on('reports')
      .columns(['address', 'edition', 'revision'])
      .execute()

    await schema.alterTable('report_texts').addColumn('inputs', 'text').execute()

    await schema
      .createTable('report_bases')
      .addColumn('digest', 'text', (column) => column.primaryKey())
      .addColumn('body', 'text', (column) => column.notNull())
      .addColumn('used_at', 'bigint', (column) => column.notNull())
      .execute()

    await schema
      .createTable('report_evidence_pieces')
      .addColumn('file', 'text', (column) => column.notNull())
      .addColumn('position', 'bigint', (column) => column.notNull())
      .addColumn('bytes', 'bytea', (column) => column.notNull())
      .addColumn('written_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('report_evidence_pieces_key', ['file', 'position'])
      .execute()
  },
}
