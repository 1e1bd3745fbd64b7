import { type Migration, runStatements } from '@tollbook/store/migration'

/** Listings, and published reports with the payments behind them. */
export const baseline: Migration = {
  name: '0058-report',
  up: (db) => runStatements(db, BASELINE),
}

const BASELINE = [
  `create table report_listing_sources (
    source text primary key, collected_at bigint, failed_at bigint, failure text, etag text, modified text)`,
  // A price of a metered scheme is a maximum.
  `create table report_listings (
    source text not null, resource text not null, operation text not null, host text not null,
    pay_to text not null, price bigint not null, description text not null, last_seen bigint not null,
    seen_at bigint not null default 0, schemes text not null default '',
    constraint report_listings_key primary key (source, pay_to, resource, operation))`,
  // Who is listed for a resource is looked up before each payment to it.
  'create index report_listings_resource on report_listings (resource)',
  // When merchants' hosts are visited.
  `create table report_listing_hosts (
    origin text primary key, visited_at bigint, next_visit_at bigint not null, failures bigint not null)`,
  // What unpaid requests to listed endpoints showed.
  `create table report_endpoint_health (
    resource text not null, pay_to text not null, state text not null, since bigint not null,
    checked_at bigint not null,
    constraint report_endpoint_health_key primary key (resource, pay_to))`,
  // `field`: buyers, facilitators and days of all merchants together, as JSON; null for weeks published earlier.
  `create table report_editions (
    edition text not null, revision bigint not null, method text not null, start_block bigint not null,
    end_block bigint not null, window_start bigint not null, window_end bigint not null,
    is_complete bigint not null, published_at bigint not null, merchants bigint not null,
    tx bigint not null, amount bigint not null, real_tx bigint not null, real_amount bigint not null,
    reason text, basis text, evidence_file text, evidence_sha256 text, evidence_bytes bigint, field text,
    constraint report_editions_key primary key (edition, revision))`,
  // Defaults are for reports published earlier: names are unconfirmed, and `returning_buyers` is -1 where unknown.
  `create table reports (
    edition text not null, revision bigint not null, address text not null, etag text not null,
    digest text not null, changed_at bigint not null, start_block bigint not null,
    end_block bigint not null, window_end bigint not null, is_frozen bigint not null, rank bigint,
    name text not null, tx bigint not null, amount bigint not null, real_tx bigint not null,
    real_amount bigint not null, passing_ppm bigint not null, buyers bigint not null,
    real_buyers bigint not null, flags text not null, basis text, evidence_file text, evidence_at bigint,
    evidence_bytes bigint, evidence_sha256 text, is_name_confirmed bigint not null default 0,
    effective_buyers_hundredths bigint not null default 0, operator text, operator_rank bigint,
    returning_buyers bigint not null default -1,
    constraint reports_key primary key (edition, address, revision))`,
  // The ranking order, so that its first page needs no full sort.
  `create index reports_by_real_revenue on reports
    (edition, revision, is_frozen, real_amount desc, real_tx desc, address)`,
  'create index reports_by_address on reports (address, edition, revision)',
  `create table report_texts (
    edition text not null, revision bigint not null, address text not null, body text not null,
    search_text text not null, inputs text,
    constraint report_texts_key primary key (edition, address, revision))`,
  'create table report_bases (digest text primary key, body text not null, used_at bigint not null)',
  `create table report_evidence_pieces (
    file text not null, position bigint not null, bytes bytea not null, written_at bigint not null,
    constraint report_evidence_pieces_key primary key (file, position))`,
  // The chain of the published reports.
  'create table report_chain (is_current bigint primary key, chain text not null)',
]
