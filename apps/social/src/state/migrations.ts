import { type Migration, runStatements } from '@tollbook/store/migration'

/** Data of social sources with its search indexes, what was fetched and imported, and sessions of users. */
export const baseline: Migration = {
  name: '0058-social',
  async up(db, kind) {
    await runStatements(db, BASELINE)
    await runStatements(db, kind === 'sqlite' ? SQLITE_WORDS : POSTGRES_WORDS)
  },
}

const BASELINE = [
  `create table social_user (
    id text primary key, username_key text not null unique, body text not null,
    fetched_at bigint not null, rank bigint)`,
  'create unique index social_user_rank on social_user (rank)',
  `create table social_tweet (
    seq bigint primary key, id text not null unique, author_id text, conversation_id text,
    in_reply_to_id text, quoted_id text, community_id text, likes bigint, reposts bigint, replies bigint,
    body text not null, fetched_at bigint not null)`,
  'create index social_tweet_by_author_id on social_tweet (author_id, seq) where author_id is not null',
  `create index social_tweet_by_in_reply_to_id on social_tweet (in_reply_to_id, seq)
    where in_reply_to_id is not null`,
  'create index social_tweet_by_quoted_id on social_tweet (quoted_id, seq) where quoted_id is not null',
  `create index social_tweet_by_community_id on social_tweet (community_id, seq)
    where community_id is not null`,
  'create table social_list (id text primary key, body text not null, fetched_at bigint not null)',
  'create table social_community (id text primary key, body text not null, fetched_at bigint not null)',
  'create table social_article (id text primary key, body text not null, fetched_at bigint not null)',
  'create table social_media (id text primary key, body text not null, fetched_at bigint not null)',
  `create table social_relation (
    kind text not null, from_id text not null, to_id text not null, pos bigint not null,
    constraint social_relation_key primary key (kind, to_id, from_id))`,
  'create index social_relation_to on social_relation (kind, to_id, pos)',
  'create index social_relation_from on social_relation (kind, from_id, pos)',
  'create table service_secret (name text primary key, value text not null)',
  // Positions of relations, so that no two share one.
  'create table social_relation_place (one bigint primary key, last bigint not null)',
  // Daily usage of upstreams, and cached pages.
  `create table social_upstream_use (
    provider text not null, operation text not null, day bigint not null, objects bigint not null,
    constraint social_upstream_use_key primary key (provider, operation, day))`,
  `create table social_page (
    key text primary key, ids text not null, next text, fetched_at bigint not null)`,
  'create index social_page_fetched_at on social_page (fetched_at)',
  // Ids assigned to Bluesky's DIDs and record URIs.
  `create table social_known_uri (
    kind text not null, id text not null, uri text not null unique,
    constraint social_known_uri_key primary key (kind, id))`,
  // Progress of imports.
  `create table social_import (
    fingerprint text primary key, name text not null, part text not null, items bigint not null,
    counts text not null, started_at bigint not null, updated_at bigint not null, finished_at bigint,
    relations_from bigint)`,
  // Sessions of users of the social network, and their uploaded images.
  `create table social_session (
    token_hash text primary key, user_id text not null, sealed_grant text, grant_expires_at bigint,
    renewing_until bigint, expires_at bigint not null)`,
  'create index social_session_user on social_session (user_id)',
  `create table social_login (
    state_hash text primary key, challenge text not null, expires_at bigint not null)`,
  'create index social_session_expiry on social_session (expires_at)',
  'create index social_login_expiry on social_login (expires_at)',
  `create table social_image (
    media_id text primary key, user_id text not null, content_hash text not null,
    content_type text not null, bytes bigint not null, expires_at bigint not null, content bytea not null,
    constraint social_image_of_user unique (user_id, content_hash))`,
  // Sums are read from this index, without the images themselves.
  'create index social_image_room on social_image (user_id, bytes)',
  'create index social_image_expiry on social_image (expires_at)',
  'create table social_image_guard (id bigint primary key, changes bigint not null)',
]

// The search indexes of tweets and users receive tokens made by the program, and only look them up.

/** The ASCII tokenizer treats every non-ASCII character as a letter. */
const SQLITE_WORDS = [
  `create virtual table social_tweet_words using fts5(body, facet, content = '', contentless_delete = 1,
    tokenize = "ascii tokenchars '_'")`,
  `create virtual table social_user_words using fts5(body, content = '', contentless_delete = 1,
    tokenize = "ascii tokenchars '_'")`,
]

/**
 * PostgreSQL collects new words in a pending list (4 MB by default) before sorting them into the index, and
 * every lookup reads that whole list. A search makes one lookup per day, so the list is limited to 64 kB, the
 * minimum: a lookup then costs at most 20 microseconds, and inserting is still more than twice as fast as
 * without the list (https://www.postgresql.org/docs/current/gin.html#GIN-FAST-UPDATE).
 */
const POSTGRES_WORDS = [
  'create table social_tweet_day (day bigint primary key)',
  ...['social_tweet', 'social_user'].flatMap((table) => [
    `alter table ${table} add column words tsvector not null default ''`,
    `create index ${table}_words on ${table} using gin (words) with (gin_pending_list_limit = 64)`,
  ]),
]
