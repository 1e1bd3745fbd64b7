import { availableParallelism } from 'node:os'
import type { Hex } from '@tollbook/chain/hex'
import { openServers } from '@tollbook/report/ledger/clickhouse/servers'
import { DuckdbDatabase } from '@tollbook/report/ledger/duckdb/duckdb-database'
import { openLedger } from '@tollbook/report/ledger/ledger'
import { folderOf } from '@tollbook/report/ledger/ledger-url'
import type { Window } from '@tollbook/verify/build/window'
import { EVIDENCE } from '@tollbook/verify/chain/payment'

export const CHAIN: Hex = `0x${'0'.repeat(64)}`
const NAME = CHAIN.slice(2, 18)
const PAYMENTS = `payment_${NAME}`
const TRANSFERS = `transfer_${NAME}`
const WEEK_SECONDS = 604_800
const WEEK_BLOCKS = 302_400
/** The chunk size of a ledger whose small chunks were merged. */
const CHUNK_BLOCKS = 4_096
/** The end of the newest week, a Sunday. */
const END = Date.UTC(2026, 10, 15, 12, 0, 1) / 1000
const END_BLOCK = 53_977_327
const MERCHANTS = 20_000
const BUYERS = 500_000
const MERCHANTS_PER_BUYER = 8
const FACILITATORS = 20
/** Prices in micro-USDC, as listings show them: mostly up to a cent. */
const PRICES = [1_000, 2_000, 2_237, 5_000, 10_000, 10_000, 20_000, 100_000] as const
/** One payment in so many is sent back by its merchant. */
const REFUND_EVERY = 200

/** Weeks before the newest one, which is 0; `last` is included. */
export type Weeks = { readonly first: number; readonly last: number; readonly payments: number }

/** The window of the newest week. */
export function newestWeek(weeks: number): Window {
  const blocks = { startBlock: END_BLOCK - WEEK_BLOCKS, endBlock: END_BLOCK }
  return { ...blocks, start: END - WEEK_SECONDS, end: END, isComplete: true, isEarlierRead: weeks > 1 }
}

/** The attempts of the newest weeks, one for each chunk. */
export function attemptsOf(weeks: number): readonly number[] {
  const first = attemptOf(END_BLOCK - weeks * WEEK_BLOCKS)
  return Array.from({ length: attemptOf(END_BLOCK - 1) - first + 1 }, (_, at) => first + at)
}

/**
 * Adds weeks of synthetic payments and refunds to a ledger; the newest must be the first. The engine generates it:
 * wallets are as Zipf-like as those of `syntheticPayments`. Earlier weeks have its payments, in other transactions.
 */
export async function fillWeeks(url: string, { first, last, payments }: Weeks): Promise<void> {
  // Creates the tables.
  await (await openLedger(url, CHAIN)).close()
  const folder = folderOf(url)
  const fill = async (generator: Generator) => {
    for (let week = first; week <= last; week += 1) await fillWeek(generator, week, payments)
  }
  if (folder !== null) {
    const database = await DuckdbDatabase.open(folder)
    const run = (sql: string) => database.write(async (connection) => void (await connection.run(sql)))
    await fill({ words: DUCKDB_WORDS, run, share: '1 = 1' })
    return database.close()
  }
  const servers = await openServers(url)
  try {
    const generators = servers.shards.flatMap((replicas, shard) =>
      replicas.map((engine): Generator => {
        const share = `number % ${servers.shards.length} = ${shard}`
        return { words: wordsOf(engine.version), run: (sql) => engine.command(sql), share }
      }),
    )
    await Promise.all(generators.map(fill))
  } finally {
    await servers.close()
  }
}

/** What the engines name differently. */
type Words = {
  numbers(count: number): string
  hash(of: string): string
  sha1(text: string): string
  sha256(text: string): string
  text(of: string): string
  readonly UInt8: string
  readonly UInt32: string
  readonly UInt64: string
  /** At the end of an insertion. */
  readonly settings: string
}

type Generator = {
  readonly words: Words
  run(sql: string): Promise<void>
  /** A condition on the numbers of the payments that it writes. */
  readonly share: string
}

const DUCKDB_WORDS: Words = {
  numbers: (count) => `(SELECT range AS number FROM range(${count}))`,
  hash: (of) => `hash(${of})`,
  sha1: (text) => `unhex(sha1(${text}))`,
  sha256: (text) => `unhex(sha256(${text}))`,
  text: (of) => `CAST(${of} AS VARCHAR)`,
  UInt8: 'UTINYINT',
  UInt32: 'UINTEGER',
  UInt64: 'UBIGINT',
  settings: '',
}

function wordsOf(version: string): Words {
  const isParallel = Number(version.split('.')[0]) >= 20
  return {
    numbers: (count) => `${isParallel ? 'numbers_mt' : 'numbers'}(${count})`,
    hash: (of) => `intHash64(${of})`,
    sha1: (text) => `SHA1(${text})`,
    sha256: (text) => `SHA256(${text})`,
    text: (of) => `toString(${of})`,
    UInt8: 'UInt8',
    UInt32: 'UInt32',
    UInt64: 'UInt64',
    settings: isParallel ? ` SETTINGS max_insert_threads = ${availableParallelism()}` : '',
  }
}

const COLUMNS = 'block, log_index, ts, tx, buyer, merchant, amount, facilitator, evidence, attempt, fee'
const REFUND_COLUMNS = 'block, log_index, ts, tx, sender, recipient, amount, attempt'

async function fillWeek({ words, run, share }: Generator, week: number, payments: number): Promise<void> {
  const own = selectPayments(words, payments, `${words.numbers(payments)} WHERE ${share}`)
  // Copying the payments of the newest week takes half of the time of generating others.
  const earlier = (changes: string, columns: string, table: string) =>
    `SELECT ${changes}, ${columns} FROM ${table} WHERE ts >= ${END - WEEK_SECONDS}`
  const tx = words.sha256(`concat('${week}', lower(hex(tx)))`)
  const moved = `block - ${week * WEEK_BLOCKS}, log_index, ts - ${week * WEEK_SECONDS}, ${tx}`
  const attempt = `CAST(intDiv(block - ${week * WEEK_BLOCKS}, ${CHUNK_BLOCKS}) AS ${words.UInt64})`
  await run(
    `INSERT INTO ${PAYMENTS} (${COLUMNS}) ${
      week === 0
        ? `SELECT ${COLUMNS} FROM (${own})`
        : earlier(moved, `buyer, merchant, amount, facilitator, evidence, ${attempt}, fee`, PAYMENTS)
    }${words.settings}`,
  )
  await run(
    `INSERT INTO ${TRANSFERS} (${REFUND_COLUMNS}) ${
      week === 0
        ? `SELECT block, CAST(log_index + 1 AS ${words.UInt32}), ts, tx, merchant, buyer, amount, attempt
          FROM (${own}) WHERE place % ${REFUND_EVERY} = 0`
        : earlier(moved, `sender, recipient, amount, ${attempt}`, TRANSFERS)
    }`,
  )
}

/** The payments of the newest week. @param from their numbers */
function selectPayments(words: Words, payments: number, from: string): string {
  const start = END - WEEK_SECONDS
  const block = END_BLOCK - WEEK_BLOCKS
  /** A fixed number in [0, 1) for each payment and each purpose. */
  const share = (purpose: number, of = 'number') =>
    `((${words.hash(`${of} + ${purpose} * 1000000000000`)} % 4294967296) / 4294967296)`
  const wallet = (kind: string, of: string) => words.sha1(`concat('${kind}', ${words.text(of)})`)
  const evidence = EVIDENCE.authorizationUsed | EVIDENCE.knownFacilitator
  const as = (type: 'UInt8' | 'UInt32' | 'UInt64', value: string | number) =>
    `CAST(${value} AS ${words[type]})`
  return `
    SELECT number AS place, ${as('UInt32', `${block} + intDiv(number * ${WEEK_BLOCKS}, ${payments})`)} AS block,
      ${as('UInt32', 'number % 500 * 2 + 1')} AS log_index,
      ${as('UInt32', `${start} + intDiv(number * ${WEEK_SECONDS}, ${payments})`)} AS ts,
      ${words.sha256(words.text('number'))} AS tx, ${wallet('buyer', 'payer')} AS buyer,
      ${wallet('merchant', 'payee')} AS merchant,
      ${as('UInt64', `if(${share(1)} < 0.8, [${PRICES.join(', ')}][payee % ${PRICES.length} + 1], 1 + floor(${share(2)} * 50000))`)} AS amount,
      ${wallet('facilitator', `number % ${FACILITATORS}`)} AS facilitator, ${as('UInt8', evidence)} AS evidence, ${as('UInt64', 0)} AS fee,
      ${as('UInt64', `intDiv(${block} + intDiv(number * ${WEEK_BLOCKS}, ${payments}), ${CHUNK_BLOCKS})`)} AS attempt
    FROM (
      SELECT number, payer, ${as('UInt32', `floor(pow(${MERCHANTS}, ${share(3, `(payer * ${MERCHANTS_PER_BUYER} + choice)`)}))`)} AS payee
      FROM (
        SELECT number, ${as('UInt32', `floor(pow(${BUYERS}, sqrt(${share(4)})))`)} AS payer,
          ${as('UInt32', `floor(pow(${MERCHANTS_PER_BUYER}, ${share(5)}))`)} AS choice
        FROM ${from}
      )
    )`
}

function attemptOf(block: number): number {
  return Math.floor(block / CHUNK_BLOCKS)
}
