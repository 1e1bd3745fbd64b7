import type { Migration } from './migration.ts'

/** Account nonces of the wallets that send settlements. */
export const signer: Migration = {
  name: '0006-signer',
  async up(db) {
    await db.schema
      .createTable('signer_transaction')
      .addColumn('signer', 'text', (column) => column.notNull())
      .addColumn('nonce', 'bigint', (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('raw', 'text')
      .addColumn('payments', 'text', (column) => column.notNull())
      .addColumn('owner', 'text', (column) => column.notNull())
      .addColumn('lease_until', 'bigint', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('signer_transaction_key', ['signer', 'nonce'])
      .execute()
  },
}

/** Gas that the facilitator service used for each payee, by hour. */
export const payeeGas: Migration = {
  name: '0045-payee-gas',
  async up({ schema }) {
    await schema
      .createTable('payee_gas')
      .addColumn('pay_to', 'text', (column) => column.notNull())
      .addColumn('hour', 'bigint', (column) => column.notNull())
      .addColumn('gas', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('payee_gas_key', ['pay_to', 'hour'])
      .execute()
  },
}

/** Endpoints that the facilitator service settled for. */
export const facilitatorListings: Migration = {
  name: '0046-facilitator-listings',
  async up({ schema }) {
    await schema
      .createTable('facilitator_listing')
      .addColumn('pay_to', 'text', (column) => column.notNull())
      .addColumn('resource', 'text', (column) => column.notNull())
      .addColumn('operation', 'text', (column) => column.notNull())
      .addColumn('host', 'text', (column) => column.notNull())
      .addColumn('price', 'bigint', (column) => column.notNull())
      .addColumn('schemes', 'text', (column) => column.notNull())
      .addColumn('description', 'text', (column) => column.notNull())
      .addColumn('last_seen', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('facilitator_listing_key', ['pay_to', 'resource', 'operation'])
      .execute()
  },
}

/** What each payer paid for the listings of a payee under a host, which ranks them. */
export const listingPayers: Migration = {
  name: '0062-listing-payers',
  isCompatible: true,
  async up({ schema }) {
    await schema
      .createTable('listing_payer')
      .addColumn('pay_to', 'text', (column) => column.notNull())
      .addColumn('host', 'text', (column) => column.notNull())
      .addColumn('payer', 'text', (column) => column.notNull())
      .addColumn('amount', 'bigint', (column) => column.notNull())
      .addColumn('paid_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('listing_payer_key', ['pay_to', 'host', 'payer'])
      .execute()
    await schema.createIndex('listing_payer_paid_at').on('listing_payer').column('paid_at').execute()
  },
}

/** What the seller offered, as it was settled. */
export const listingOffers: Migration = {
  name: '0063-listing-offers',
  isCompatible: true,
  async up({ schema }) {
    await schema.alterTable('facilitator_listing').addColumn('offer', 'text').execute()
  },
}

/** Which request of the facilitator service got the success of a settlement. */
export const settleDeliveries: Migration = {
  name: '0061-settle-deliveries',
  isCompatible: true,
  async up({ schema }) {
    await schema
      .createTable('settle_delivery')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('key', 'text', (column) => column.notNull())
      .addColumn('owner', 'text', (column) => column.notNull())
      .addColumn('token', 'text', (column) => column.notNull())
      .addColumn('is_delivered', 'bigint', (column) => column.notNull())
      .addColumn('valid_before', 'bigint', (column) => column.notNull())
      .execute()
    await schema
      .createIndex('settle_delivery_valid_before')
      .on('settle_delivery')
      .column('valid_before')
      .execute()
  },
}

/** Transactions of payment channels that the facilitator service sends for sellers. */
export const channelOperations: Migration = {
  name: '0050-channel-operations',
  async up({ schema }) {
    await schema
      .createTable('channel_operation')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('hashes', 'text', (column) => column.notNull())
      .addColumn('answer', 'text')
      .addColumn('lease_until', 'bigint', (column) => column.notNull())
      .addColumn('version', 'bigint', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .execute()
    await schema
      .createIndex('channel_operation_created_at')
      .on('channel_operation')
      .column('created_at')
      .execute()
  },
}
