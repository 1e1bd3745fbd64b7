import { type Migration, runStatements } from '@tollbook/store/migration'

/** The ledger of payments presented to the services. */
export const baseline: Migration = {
  name: '0058-payments',
  up: (db) => runStatements(db, BASELINE),
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

const BASELINE = [
  // Reading a column before `answer_body` never reads through a large answer.
  `create table paid_call (
    id text primary key, payer text not null, nonce text not null, network text not null,
    asset text not null, pay_to text not null, scheme text not null, service text not null,
    endpoint text not null, scope text not null, fingerprint text not null, identifier text,
    state text not null, is_open bigint not null, is_stream bigint not null, runs bigint not null,
    is_rerun bigint not null, owner text, claim text not null, signed_amount bigint not null,
    charge bigint, valid_before bigint not null, offer text, tx_hash text, reason text,
    bytes_sent bigint not null, reserved_at bigint not null, updated_at bigint not null,
    settled_at bigint, check_at bigint not null, answer_status bigint, answer_headers text,
    answer_file text, answer_body bytea, has_effect bigint not null default 0, resource_url text,
    repeat_ms bigint, gas_cost bigint)`,
  // Contains only rows in progress: the exposure of a payer and the recovery read it.
  'create index paid_call_open on paid_call (payer) where is_open = 1',
  // A payment-identifier means one call, whatever payments it is sent with.
  `create unique index paid_call_identifier on paid_call (payer, identifier)
    where identifier is not null and state <> 'released'`,
  // Answers and released rows are deleted by age.
  'create index paid_call_age on paid_call (valid_before)',
  // Purchases that may be repeated without charge.
  'create index paid_call_repeatable on paid_call (payer, fingerprint) where repeat_ms is not null',
  // The sales of a service by time.
  'create index paid_call_settled on paid_call (service, settled_at) where settled_at is not null',
  // Housekeeping finds what it deletes or empties without reading all calls that were ever settled.
  'create index paid_call_answered on paid_call (valid_before) where answer_status is not null',
  `create index paid_call_released on paid_call (valid_before) where state = 'released'`,
  `create index paid_call_for_others on paid_call (valid_before) where service = 'facilitator'`,
  'create table payment_owner (id text primary key, lease_until bigint not null)',
  'create table payment_strike (id text primary key, payer text not null, struck_at bigint not null)',
  'create index payment_strike_of on payment_strike (payer, struck_at)',
  'create table payment_proof (nonce text primary key, expires_at bigint not null)',
  'create table payment_secret (name text primary key, secret text not null)',
  // What paid calls will change once their payments have settled. `statements` is last, so that reading the other
  // columns never reads through large values.
  `create table call_effect (
    call text primary key, owner text not null, resource text not null, part text,
    is_exclusive bigint not null, is_new bigint not null, bytes bigint not null, rows bigint not null,
    last_id bigint not null, statements text not null)`,
  'create index call_effect_owner on call_effect (owner)',
  // Gas that settlements of payers with code may cost, and did.
  `create table payer_code_use (
    call text primary key, code_hash text not null, gas bigint not null, burnt bigint not null,
    used_at bigint not null)`,
  'create index payer_code_use_age on payer_code_use (used_at)',
  // What wallets may get of live metered answers before these are settled.
  `create table live_allowance (
    payer text primary key, amount bigint not null, changed_at bigint not null)`,
  // What wallets have paid towards the gas of their reverted settlements.
  `create table payer_credit (
    payer text primary key, calls bigint not null, reverted_at bigint, changed_at bigint not null)`,
  // The newest voucher of each channel (x402 `batch-settlement`), and what the chain held at the last reading.
  `create table payment_channel (
    id text primary key, version bigint not null, config text not null, receiver text not null,
    charged bigint not null, signed_max bigint not null, signature text not null, balance bigint not null,
    claimed bigint not null, paid_out bigint not null, withdraw_at bigint not null,
    refund_nonce bigint not null, synced_at bigint not null, charged_at bigint not null,
    unclaimed_since bigint, claim_until bigint not null, refund text, refund_until bigint not null)`,
  'create index payment_channel_due on payment_channel (unclaimed_since)',
]
