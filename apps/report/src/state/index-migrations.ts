import { type Migration, runStatements } from '@tollbook/store/migration'

/** Coverage and checkpoints of the indexer. */
export const baseline: Migration = {
  name: '0058-indexer',
  up: (db) => runStatements(db, BASELINE),
}

const BASELINE = [
  `create table index_chain (
    chain text primary key, first_block bigint not null, next_block bigint not null,
    changed_at bigint not null, dropped_until bigint)`,
  `create table index_chunk (
    chain text not null, attempt bigint not null, first_block bigint not null, end_block bigint not null,
    status text not null, payments bigint not null, misses bigint not null, changed_at bigint not null,
    constraint index_chunk_key primary key (chain, attempt))`,
  `create table index_checkpoint (
    chain text not null, block bigint not null, hash text not null,
    constraint index_checkpoint_key primary key (chain, block))`,
  // Coverage of transfers out of merchants and into buyers.
  `create table transfer_span (
    chain text not null, direction text not null, wallet text not null, first_block bigint not null,
    end_block bigint not null,
    constraint transfer_span_key primary key (chain, direction, wallet, first_block))`,
  `create table transfer_chunk (
    chain text not null, attempt bigint not null, direction text not null, first_block bigint not null,
    end_block bigint not null, status text not null, transfers bigint not null,
    changed_at bigint not null,
    constraint transfer_chunk_key primary key (chain, attempt))`,
  // What the indexer counts, for the metrics of the report service, which may be another process.
  `create table report_indexer_gauges (
    gauge text not null, label text not null, value bigint not null,
    constraint report_indexer_gauges_key primary key (gauge, label))`,
]
