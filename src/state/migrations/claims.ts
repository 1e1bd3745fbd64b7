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

/** Webhooks of claimed merchants, the sessions that manage them, and what they are to receive. */
export const alerts: Migration = {
  name: '0039-alerts',
  async up({ schema }) {
    await schema
      .createTable('alert_session')
      .addColumn('token_sha256', 'text', (column) => column.primaryKey())
      .addColumn('address', 'text', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .execute()

    await schema
      .createTable('alert_webhook')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('address', 'text', (column) => column.notNull())
      .addColumn('url', 'text', (column) => column.notNull())
      .addColumn('secret', 'text', (column) => column.notNull())
      .addColumn('events', 'text', (column) => column.notNull())
      .addColumn('rank_places', 'bigint', (column) => column.notNull())
      .addColumn('drop_percent', 'bigint', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .execute()
    await schema.createIndex('alert_webhook_wallet').on('alert_webhook').column('address').execute()

    await schema
      .createTable('alert_delivery')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('webhook', 'text', (column) => column.notNull())
      .addColumn('event', 'text', (column) => column.notNull())
      .addColumn('body', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('attempts', 'bigint', (column) => column.notNull())
      .addColumn('next_attempt_at', 'bigint')
      .addColumn('outcome', 'text', (column) => column.notNull())
      .addColumn('last_answer', 'text')
      .execute()
    await schema.createIndex('alert_delivery_due').on('alert_delivery').column('next_attempt_at').execute()
    await schema.createIndex('alert_delivery_webhook').on('alert_delivery').column('webhook').execute()
  },
}

/** The highest price that a merchant states in its claim, micro-USDC. */
export const claimedPrices: Migration = {
  name: '0040-claimed-prices',
  async up({ schema }) {
    await schema.alterTable('claim').addColumn('max_price', 'bigint').execute()
    await schema.alterTable('claim_challenge').addColumn('max_price', 'bigint').execute()
  },
}
