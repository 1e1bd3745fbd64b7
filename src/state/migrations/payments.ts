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

/** What paid calls will change once their payments have settled. It replaces the record of changes made before. */
export const callEffects: Migration = {
  name: '0024-call-effects',
  async up(db) {
    await db.schema
      .alterTable('paid_call')
      .addColumn('has_effect', 'bigint', (column) => column.notNull().defaultTo(0))
      .execute()
    await db.schema
      .createTable('call_effect')
      .addColumn('call', 'text', (column) => column.primaryKey())
      .addColumn('owner', 'text', (column) => column.notNull())
      .addColumn('resource', 'text', (column) => column.notNull())
      .addColumn('part', 'text')
      .addColumn('is_exclusive', 'bigint', (column) => column.notNull())
      .addColumn('is_new', 'bigint', (column) => column.notNull())
      .addColumn('bytes', 'bigint', (column) => column.notNull())
      .addColumn('rows', 'bigint', (column) => column.notNull())
      .addColumn('last_id', 'bigint', (column) => column.notNull())
      // Last, so that reading the other columns never walks through large values.
      .addColumn('statements', 'text', (column) => column.notNull())
      .execute()
    await db.schema.createIndex('call_effect_owner').on('call_effect').column('owner').execute()
    await db.schema.dropTable('wallet_change').execute()
  },
}

/** Gas that settlements of payers with code may cost, and did. */
export const payerCodeUse: Migration = {
  name: '0025-payer-code-use',
  async up(db) {
    await db.schema
      .createTable('payer_code_use')
      .addColumn('call', 'text', (column) => column.primaryKey())
      .addColumn('code_hash', 'text', (column) => column.notNull())
      .addColumn('gas', 'bigint', (column) => column.notNull())
      .addColumn('burnt', 'bigint', (column) => column.notNull())
      .addColumn('used_at', 'bigint', (column) => column.notNull())
      .execute()
    await db.schema.createIndex('payer_code_use_age').on('payer_code_use').column('used_at').execute()
  },
}

/** What wallets may get of live metered answers before these are settled. */
export const liveAllowance: Migration = {
  name: '0026-live-allowance',
  async up({ schema }) {
    await schema
      .createTable('live_allowance')
      .addColumn('payer', 'text', (column) => column.primaryKey())
      .addColumn('amount', 'bigint', (column) => column.notNull())
      .addColumn('changed_at', 'bigint', (column) => column.notNull())
      .execute()
  },
}

/** What wallets have paid towards the gas of their reverted settlements. */
export const payerCredit: Migration = {
  name: '0028-payer-credit',
  async up({ schema }) {
    await schema
      .createTable('payer_credit')
      .addColumn('payer', 'text', (column) => column.primaryKey())
      .addColumn('calls', 'bigint', (column) => column.notNull())
      .addColumn('reverted_at', 'bigint')
      .addColumn('changed_at', 'bigint', (column) => column.notNull())
      .execute()
  },
}

/** Payment channels (x402 `batch-settlement`): the newest voucher of each, and what the chain held at the last reading. */
export const paymentChannels: Migration = {
  name: '0042-payment-channels',
  async up({ schema }) {
    await schema
      .createTable('payment_channel')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('version', 'bigint', (column) => column.notNull())
      .addColumn('config', 'text', (column) => column.notNull())
      .addColumn('receiver', 'text', (column) => column.notNull())
      .addColumn('charged', 'bigint', (column) => column.notNull())
      .addColumn('signed_max', 'bigint', (column) => column.notNull())
      .addColumn('signature', 'text', (column) => column.notNull())
      .addColumn('balance', 'bigint', (column) => column.notNull())
      .addColumn('claimed', 'bigint', (column) => column.notNull())
      .addColumn('paid_out', 'bigint', (column) => column.notNull())
      .addColumn('withdraw_at', 'bigint', (column) => column.notNull())
      .addColumn('refund_nonce', 'bigint', (column) => column.notNull())
      .addColumn('synced_at', 'bigint', (column) => column.notNull())
      .addColumn('charged_at', 'bigint', (column) => column.notNull())
      .addColumn('unclaimed_since', 'bigint')
      .addColumn('claim_until', 'bigint', (column) => column.notNull())
      .addColumn('refund', 'text')
      .addColumn('refund_until', 'bigint', (column) => column.notNull())
      .execute()
    await schema.createIndex('payment_channel_due').on('payment_channel').column('unclaimed_since').execute()
  },
}

/** The URL of each paid call, which its signed receipt names. */
export const receiptUrls: Migration = {
  name: '0053-receipt-urls',
  async up({ schema }) {
    await schema.alterTable('paid_call').addColumn('resource_url', 'text').execute()
  },
}

/** Purchases that may be repeated without charge, found by payer and request. */
export const repeatAccess: Migration = {
  name: '0054-repeat-access',
  async up({ schema }) {
    await schema.alterTable('paid_call').addColumn('repeat_ms', 'bigint').execute()
    await schema
      .createIndex('paid_call_repeatable')
      .on('paid_call')
      .columns(['payer', 'fingerprint'])
      .where(sql<boolean>`repeat_ms is not null`)
      .execute()
  },
}

/** What the gas of settlements cost, and the settled calls of a service by time. */
export const sales: Migration = {
  name: '0055-sales',
  async up({ schema }) {
    await schema.alterTable('paid_call').addColumn('gas_cost', 'bigint').execute()
    await schema
      .createIndex('paid_call_settled')
      .on('paid_call')
      .columns(['service', 'settled_at'])
      .where(sql<boolean>`settled_at is not null`)
      .execute()
  },
}

/** Finds the calls that housekeeping deletes or empties without reading all calls that were ever settled. */
export const expiringCalls: Migration = {
  name: '0058-expiring-calls',
  isCompatible: true,
  async up({ schema }) {
    await schema
      .createIndex('paid_call_answered')
      .on('paid_call')
      .column('valid_before')
      .where(sql<boolean>`answer_status is not null`)
      .execute()
    await schema
      .createIndex('paid_call_released')
      .on('paid_call')
      .column('valid_before')
      .where(sql<boolean>`state = 'released'`)
      .execute()
    await schema
      .createIndex('paid_call_for_others')
      .on('paid_call')
      .column('valid_before')
      .where(sql<boolean>`service = 'facilitator'`)
      .execute()
  },
}

/** Payments of `exact` that need the payer's allowance of Permit2. */
export const permit2Calls: Migration = {
  name: '0064-permit2-calls',
  isCompatible: true,
  async up({ schema }) {
    await schema
      .alterTable('paid_call')
      .addColumn('by_permit2', 'bigint', (column) => column.notNull().defaultTo(0))
      .execute()
  },
}
