import { availableParallelism } from 'node:os'
import type { Hex } from '../../src/chain/hex.ts'
import type { FigureWindow } from '../../src/report/build/figures.ts'
import { EVIDENCE } from '../../src/report/chain/payment.ts'
import { PAYMENT_TABLE } from '../../src/report/ledger/payment-table.ts'
import { openServers, type Servers } from '../../src/report/ledger/servers.ts'
import { openTable, readKeySecret } from '../../src/report/ledger/table.ts'
import { TRANSFER_TABLE } from '../../src/report/ledger/transfers/transfer-table.ts'

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
export function newestWeek(weeks: number): FigureWindow {
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
  const servers = await openServers(url)
  try {
    const secret = await readKeySecret(servers, PAYMENT_TABLE, NAME)
    await openTable(servers, PAYMENT_TABLE, { chain: NAME, secret })
    await openTable(servers, TRANSFER_TABLE, { chain: NAME, secret })
    for (let week = first; week <= last; week += 1) await fillWeek(servers, week, payments)
  } finally {
    await servers.close()
  }
}

const COLUMNS = 'block, log_index, ts, tx, buyer, merchant, amount, facilitator, evidence, attempt, fee'
const REFUND_COLUMNS = 'block, log_index, ts, tx, sender, recipient, amount, attempt'

async function fillWeek({ shards }: Servers, week: number, payments: number): Promise<void> {
  const insertions = shards.flatMap((replicas, shard) =>
    replicas.map(async (engine) => {
      const isParallel = Number(engine.version.split('.')[0]) >= 20
      const numbers = `${isParallel ? 'numbers_mt' : 'numbers'}(${payments})`
      const settings = isParallel ? ` SETTINGS max_insert_threads = ${availableParallelism()}` : ''
      const own = selectPayments(payments, `${numbers} WHERE number % ${shards.length} = ${shard}`)
      // Copying the payments of the newest week takes half of the time of generating others.
      const earlier = (changes: string, columns: string, table: string) =>
        `SELECT ${changes}, ${columns} FROM ${table} WHERE ts >= ${END - WEEK_SECONDS}`
      const moved = `block - ${week * WEEK_BLOCKS}, log_index, ts - ${week * WEEK_SECONDS}, SHA256(concat('${week}', tx))`
      const attempt = `toUInt64(intDiv(block - ${week * WEEK_BLOCKS}, ${CHUNK_BLOCKS}))`
      await engine.command(
        `INSERT INTO ${PAYMENTS} (${COLUMNS}) ${
          week === 0
            ? `SELECT ${COLUMNS} FROM (${own})`
            : earlier(moved, `buyer, merchant, amount, facilitator, evidence, ${attempt}, fee`, PAYMENTS)
        }${settings}`,
      )
      await engine.command(
        `INSERT INTO ${TRANSFERS} (${REFUND_COLUMNS}) ${
          week === 0
            ? `SELECT block, toUInt32(log_index + 1), ts, tx, merchant, buyer, amount, attempt
              FROM (${own}) WHERE place % ${REFUND_EVERY} = 0`
            : earlier(moved, `sender, recipient, amount, ${attempt}`, TRANSFERS)
        }`,
      )
    }),
  )
  await Promise.all(insertions)
}

/** The payments of the newest week. @param from their numbers */
function selectPayments(payments: number, from: string): string {
  const start = END - WEEK_SECONDS
  const block = END_BLOCK - WEEK_BLOCKS
  /** A fixed number in [0, 1) for each payment and each purpose. */
  const share = (purpose: number, of = 'number') =>
    `(intHash64(${of} + ${purpose} * 1000000000000) % 4294967296) / 4294967296`
  const wallet = (kind: string, of: string) => `SHA1(concat('${kind}', toString(${of})))`
  const evidence = EVIDENCE.authorizationUsed | EVIDENCE.knownFacilitator
  return `
    SELECT number AS place, toUInt32(${block} + intDiv(number * ${WEEK_BLOCKS}, ${payments})) AS block,
      toUInt32(number % 500 * 2 + 1) AS log_index,
      toUInt32(${start} + intDiv(number * ${WEEK_SECONDS}, ${payments})) AS ts,
      SHA256(toString(number)) AS tx, ${wallet('buyer', 'payer')} AS buyer,
      ${wallet('merchant', 'payee')} AS merchant,
      toUInt64(if(${share(1)} < 0.8, [${PRICES.join(', ')}][payee % ${PRICES.length} + 1], 1 + floor(${share(2)} * 50000))) AS amount,
      ${wallet('facilitator', `number % ${FACILITATORS}`)} AS facilitator, toUInt8(${evidence}) AS evidence, toUInt64(0) AS fee,
      toUInt64(intDiv(${block} + intDiv(number * ${WEEK_BLOCKS}, ${payments}), ${CHUNK_BLOCKS})) AS attempt
    FROM (
      SELECT number, payer, toUInt32(floor(pow(${MERCHANTS}, ${share(3, `payer * ${MERCHANTS_PER_BUYER} + choice`)}))) AS payee
      FROM (
        SELECT number, toUInt32(floor(pow(${BUYERS}, sqrt(${share(4)})))) AS payer,
          toUInt32(floor(pow(${MERCHANTS_PER_BUYER}, ${share(5)}))) AS choice
        FROM ${from}
      )
    )`
}

function attemptOf(block: number): number {
  return Math.floor(block / CHUNK_BLOCKS)
}
