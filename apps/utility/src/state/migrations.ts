import { type Migration, runStatements } from '@tollbook/store/migration'

/** Data of wallets in `/api/store` and `/api/scratchpad`, and searchable pages. */
export const baseline: Migration = {
  name: '0058-wallet',
  async up(db, kind) {
    await runStatements(db, BASELINE)
    await runStatements(db, kind === 'sqlite' ? SQLITE_PAGES : POSTGRES_PAGES)
  },
}

const BASELINE = [
  `create table wallet (
    address text primary key, bytes_used bigint not null, pad_bytes bigint not null default 0)`,
  `create table collection (
    id text primary key, wallet text not null, name text not null, row_count bigint not null,
    bytes bigint not null, last_id bigint not null, created_at bigint not null,
    updated_at bigint not null, expires_at bigint not null,
    constraint collection_of_wallet unique (wallet, name))`,
  'create index collection_expiry on collection (expires_at)',
  `create table collection_row (
    collection text not null, id bigint not null, version bigint not null, bytes bigint not null,
    created_at bigint not null, updated_at bigint not null, body text not null,
    constraint collection_row_key primary key (collection, id),
    constraint collection_row_of foreign key (collection) references collection (id) on delete cascade)`,
  `create table pad (
    id text primary key, wallet text not null, name text not null, version bigint not null,
    bytes bigint not null, expires_at bigint not null,
    constraint pad_of_wallet unique (wallet, name))`,
  'create index pad_expiry on pad (expires_at)',
  `create table pad_version (
    pad text not null, version bigint not null, kind text not null, bytes bigint not null,
    made_at bigint not null, content bytea not null,
    constraint pad_version_key primary key (pad, version),
    constraint pad_version_of foreign key (pad) references pad (id) on delete cascade)`,
]

const PAGE_COLUMNS = `url text not null unique, host text not null, title text not null, content text not null,
  published_at bigint, is_news bigint not null, source text not null, fetched_at bigint not null`
const PAGE_AGE = 'create index page_age on page (source, fetched_at)'

// The indexes of words receive words that the program has segmented and stemmed, and only look them up.

const SQLITE_PAGES = [
  `create table page (id integer primary key, ${PAGE_COLUMNS})`,
  PAGE_AGE,
  `create virtual table page_words using fts5(title, content, content = '', contentless_delete = 1,
    tokenize = "unicode61 remove_diacritics 0 categories 'L* M* N* Co'")`,
]

const POSTGRES_PAGES = [
  `create table page (id bigserial primary key, ${PAGE_COLUMNS}, words tsvector not null default '')`,
  PAGE_AGE,
  'create index page_words on page using gin (words)',
]
