import type { Migration } from './migration.ts'

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
