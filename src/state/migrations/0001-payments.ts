import { sql } from 'kysely'
import type { Migration } from './migration.ts'

/** The ledger of payments presented to the services. */
export const payments: Migration = {
  name: '0001-payments',
  async up(db) {
    await db.schema
      .createTable('paid_call')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('payer', 'text', (column) => column.notNull())
      .addColumn('nonce', 'text', (column) => column.notNull())
      .addColumn('network', 'text', (column) => column.notNull())
      .addColumn('asset', 'text', (column) => column.notNull())
      .addColumn('pay_to', 'text', (column) => column.notNull())
      .addColumn('scheme', 'text', (column) => column.notNull())
      .addColumn('service', 'text', (column) => column.notNull())
      .addColumn('endpoint', 'text', (column) => column.notNull())
      .addColumn('scope', 'text', (column) => column.notNull())
      .addColumn('fingerprint', 'text', (column) => column.notNull())
      .addColumn('identifier', 'text')
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('is_open', 'bigint', (column) => column.notNull())
      .addColumn('is_stream', 'bigint', (column) => column.notNull())
      .addColumn('runs', 'bigint', (column) => column.notNull())
      .addColumn('is_rerun', 'bigint', (column) => column.notNull())
      .addColumn('owner', 'text')
      .addColumn('claim', 'text', (column) => column.notNull())
      .addColumn('signed_amount', 'bigint', (column) => column.notNull())
      .addColumn('charge', 'bigint')
      .addColumn('valid_before', 'bigint', (column) => column.notNull())
      .addColumn('offer', 'text')
      .addColumn('tx_hash', 'text')
      .addColumn('reason', 'text')
      .addColumn('bytes_sent', 'bigint', (column) => column.notNull())
      .addColumn('reserved_at', 'bigint', (column) => column.notNull())
      .addColumn('updated_at', 'bigint', (column) => column.notNull())
      .addColumn('settled_at', 'bigint')
      .addColumn('check_at', 'bigint', (column) => column.notNull())
      .addColumn('answer_status', 'bigint')
      .addColumn('answer_headers', 'text')
      .addColumn('answer_file', 'text')
      // Last, so that reading the other columns never reads through a large answer.
      .addColumn('answer_body', 'bytea')
      .execute()
    // Contains only rows in progress: the exposure of a payer and the recovery read it.
    await db.schema
      .createIndex('paid_call_open')
      .on('paid_call')
      .column('payer')
      .where(sql.ref('is_open'), '=', sql.lit(1))
      .execute()
    // A payment-identifier means one call, whatever payments it is sent with.
    await db.schema
      .createIndex('paid_call_identifier')
      .unique()
      .on('paid_call')
      .columns(['payer', 'identifier'])
      .where(sql<boolean>`identifier is not null and state <> 'released'`)
      .execute()
    // Answers and released rows are deleted by age.
    await db.schema.createIndex('paid_call_age').on('paid_call').column('valid_before').execute()
    await db.schema
      .createTable('payment_owner')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('lease_until', 'bigint', (column) => column.notNull())
      .execute()
    await db.schema
      .createTable('payment_strike')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('payer', 'text', (column) => column.notNull())
      .addColumn('struck_at', 'bigint', (column) => column.notNull())
      .execute()
    await db.schema
      .createIndex('payment_strike_of')
      .on('payment_strike')
      .columns(['payer', 'struck_at'])
      .execute()
    await db.schema
      .createTable('payment_proof')
      .addColumn('nonce', 'text', (column) => column.primaryKey())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .execute()
    await db.schema
      .createTable('payment_secret')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('secret', 'text', (column) => column.notNull())
      .execute()
  },
}
