import type { Migration } from './migration.ts'

/** Signed claims, open challenges, and notes to the operator. */
export const claims: Migration = {
  name: '0010-claims',
  async up({ schema }) {
    await schema
      .createTable('claim_challenge')
      .addColumn('nonce', 'text', (column) => column.primaryKey())
      .addColumn('address', 'text', (column) => column.notNull())
      .addColumn('action', 'text', (column) => column.notNull())
      .addColumn('statement', 'text')
      .addColumn('disclosures', 'text', (column) => column.notNull())
      .addColumn('issued_at', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .addColumn('failures', 'bigint', (column) => column.notNull())
      .execute()
    await schema.createIndex('claim_challenge_end').on('claim_challenge').column('expires_at').execute()
    await schema.createIndex('claim_challenge_wallet').on('claim_challenge').column('address').execute()

    await schema
      .createTable('claim_wallet')
      .addColumn('address', 'text', (column) => column.primaryKey())
      .addColumn('version', 'bigint', (column) => column.notNull())
      .execute()

    await schema
      .createTable('claim')
      .addColumn('address', 'text', (column) => column.notNull())
      .addColumn('version', 'bigint', (column) => column.notNull())
      .addColumn('action', 'text', (column) => column.notNull())
      .addColumn('message', 'text', (column) => column.notNull())
      .addColumn('signature', 'text', (column) => column.notNull())
      .addColumn('statement', 'text')
      .addColumn('disclosures', 'text', (column) => column.notNull())
      .addColumn('made_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('claim_key', ['address', 'version'])
      .execute()

    await schema
      .createTable('dispute')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('address', 'text', (column) => column.notNull())
      .addColumn('week', 'text')
      .addColumn('contact', 'text')
      .addColumn('body', 'text', (column) => column.notNull())
      .addColumn('received_at', 'bigint', (column) => column.notNull())
      .addColumn('closed_at', 'bigint')
      .execute()
    await schema.createIndex('dispute_age').on('dispute').columns(['closed_at', 'received_at']).execute()

    await schema
      .createTable('dispute_quota')
      .addColumn('day', 'text', (column) => column.notNull())
      .addColumn('client', 'text', (column) => column.notNull())
      .addColumn('disputes', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('dispute_quota_key', ['day', 'client'])
      .execute()
  },
}
