import { type Migration, runStatements } from '@tollbook/store/migration'

/** Signed claims, open challenges, notes to the operator, and webhooks with what they are to receive. */
export const baseline: Migration = {
  name: '0058-claims',
  up: (db) => runStatements(db, BASELINE),
}

const BASELINE = [
  // `max_price` is the highest price that a merchant states, micro-USDC.
  `create table claim_challenge (
    nonce text primary key, address text not null, action text not null, statement text,
    disclosures text not null, issued_at bigint not null, expires_at bigint not null,
    failures bigint not null, max_price bigint)`,
  'create index claim_challenge_end on claim_challenge (expires_at)',
  'create index claim_challenge_wallet on claim_challenge (address)',
  'create table claim_wallet (address text primary key, version bigint not null)',
  `create table claim (
    address text not null, version bigint not null, action text not null, message text not null,
    signature text not null, statement text, disclosures text not null, made_at bigint not null,
    max_price bigint,
    constraint claim_key primary key (address, version))`,
  `create table dispute (
    id text primary key, address text not null, week text, contact text, body text not null,
    received_at bigint not null, closed_at bigint)`,
  'create index dispute_age on dispute (closed_at, received_at)',
  `create table dispute_quota (
    day text not null, client text not null, disputes bigint not null,
    constraint dispute_quota_key primary key (day, client))`,
  // Webhooks of claimed merchants, the sessions that manage them, and what they are to receive.
  `create table alert_session (
    token_sha256 text primary key, address text not null, expires_at bigint not null)`,
  `create table alert_webhook (
    id text primary key, address text not null, url text not null, secret text not null,
    events text not null, rank_places bigint not null, drop_percent bigint not null,
    created_at bigint not null)`,
  'create index alert_webhook_wallet on alert_webhook (address)',
  `create table alert_delivery (
    id text primary key, webhook text not null, event text not null, body text not null,
    created_at bigint not null, attempts bigint not null, next_attempt_at bigint, outcome text not null,
    last_answer text)`,
  'create index alert_delivery_due on alert_delivery (next_attempt_at)',
  'create index alert_delivery_webhook on alert_delivery (webhook)',
]
