import { type Migration, runStatements } from '@tollbook/store/migration'

/** What the facilitator stores. */
export const baseline: Migration = {
  name: '0058-facilitator',
  up: (db) => runStatements(db, BASELINE),
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

const BASELINE = [
  // Account nonces of the wallets that send settlements.
  `create table signer_transaction (
    signer text not null, nonce bigint not null, state text not null, raw text, payments text not null,
    owner text not null, lease_until bigint not null, created_at bigint not null,
    constraint signer_transaction_key primary key (signer, nonce))`,
  // Gas that the facilitator service used for each payee, by hour.
  `create table payee_gas (
    pay_to text not null, hour bigint not null, gas bigint not null,
    constraint payee_gas_key primary key (pay_to, hour))`,
  // Endpoints that the facilitator service settled for.
  `create table facilitator_listing (
    pay_to text not null, resource text not null, operation text not null, host text not null,
    price bigint not null, schemes text not null, description text not null, last_seen bigint not null,
    constraint facilitator_listing_key primary key (pay_to, resource, operation))`,
  // Transactions of payment channels that the facilitator service sends for sellers.
  `create table channel_operation (
    id text primary key, hashes text not null, answer text, lease_until bigint not null,
    version bigint not null, created_at bigint not null)`,
  'create index channel_operation_created_at on channel_operation (created_at)',
]
