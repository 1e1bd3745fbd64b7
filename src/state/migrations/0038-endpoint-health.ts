import type { Migration } from './migration.ts'

/** What unpaid requests to listed endpoints showed. */
export const endpointHealth: Migration = {
  name: '0038-endpoint-health',
  async up({ schema }) {
    await schema
      .createTable('report_endpoint_health')
      .addColumn('resource', 'text', (column) => column.notNull())
      .addColumn('pay_to', 'text', (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('since', 'bigint', (column) => column.notNull())
      .addColumn('checked_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('report_endpoint_health_key', ['resource', 'pay_to'])
      .execute()
  },
}
