import { once } from 'node:events'
import { createWriteStream, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '@tollbook/testing/state/postgres'
import pg from 'pg'
import { type SyntheticWeek, syntheticPayments } from './synthetic-payments.ts'

/** Payments in every so many blocks count as circular. */
export const CIRCULAR_EVERY_BLOCKS = 1_000

export type PeerReport = {
  readonly ingestSeconds: number
  readonly reportSeconds: number
  /** Per address: all figures as one text, in the same order as ours. */
  readonly merchants: ReadonlyMap<string, string>
}

/** The obvious queries: judge each payment, then group by merchant. Payments below $0.001 are not counted. */
const STATEMENTS = {
  judge: `
    CREATE TEMP TABLE judged AS
    SELECT merchant, buyer, amount, ts, amount >= 1000 AS counts,
      CASE WHEN buyer = merchant THEN 'self_pay'
        WHEN block % ${CIRCULAR_EVERY_BLOCKS} = 0 THEN 'circular' END AS flag
    FROM payment WHERE ts >= $1 AND ts < $2`,
  totals: `
    SELECT encode(merchant, 'hex'), count(*) FILTER (WHERE counts), sum(amount), count(*) FILTER (WHERE counts AND flag IS NULL),
      coalesce(sum(amount) FILTER (WHERE flag IS NULL), 0), count(DISTINCT buyer) FILTER (WHERE counts),
      count(DISTINCT buyer) FILTER (WHERE counts AND flag IS NULL),
      coalesce(percentile_disc(ARRAY[0.25, 0.5, 0.75]) WITHIN GROUP (ORDER BY amount) FILTER (WHERE counts),
        ARRAY[0, 0, 0]),
      coalesce(percentile_disc(0.5) WITHIN GROUP (ORDER BY amount) FILTER (WHERE counts AND flag IS NULL), 0)
    FROM judged GROUP BY merchant`,
  topBuyers: `
    SELECT encode(merchant, 'hex'), max(paid) FROM (
      SELECT merchant, buyer, sum(amount) AS paid FROM judged GROUP BY merchant, buyer
    ) AS pairs GROUP BY merchant`,
  flags: `
    SELECT encode(merchant, 'hex'), flag, count(*) FILTER (WHERE counts), sum(amount) FROM judged
    WHERE flag IS NOT NULL GROUP BY merchant, flag ORDER BY flag`,
  daily: `
    SELECT encode(merchant, 'hex'), to_char(to_timestamp(ts) AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day,
      count(*) FILTER (WHERE counts), sum(amount), coalesce(sum(amount) FILTER (WHERE flag IS NULL), 0)
    FROM judged GROUP BY merchant, day ORDER BY day`,
} as const

/** The figures of every merchant by straightforward SQL, after a COPY of the same payments. */
export async function reportOnPostgres(week: SyntheticWeek): Promise<PeerReport> {
  const { createDatabase, dropDatabase } = await startPostgres()
  const url = await createDatabase()
  const client = new pg.Client({ connectionString: url })
  const file = join(tmpdir(), `tollbook-bench-${process.pid}.tsv`)
  try {
    await client.connect()
    // Settings that a careful operator uses for one large report on two cores.
    await client.query("SET work_mem = '1GB'")
    await client.query('SET max_parallel_workers_per_gather = 2')
    await client.query(`
      CREATE TABLE payment (block integer, log_index integer, ts integer, tx bytea, buyer bytea, merchant bytea,
        amount bigint, facilitator bytea, evidence smallint)`)
    await writeFile(week, file)
    const startMs = performance.now()
    await client.query(`COPY payment FROM '${file}'`)
    const ingestSeconds = (performance.now() - startMs) / 1000
    await client.query('VACUUM ANALYZE payment')
    return { ingestSeconds, ...(await report(client, week)) }
  } finally {
    rmSync(file, { force: true })
    await client.end()
    await dropDatabase(url)
  }
}

async function writeFile(week: SyntheticWeek, file: string): Promise<void> {
  const stream = createWriteStream(file, { mode: 0o644 })
  const toBytes = (hex: string) => `\\\\x${hex.slice(2)}`
  for (const chunk of syntheticPayments(week, 20_000)) {
    const text = chunk.map((row) => {
      const { transaction, buyer, merchant, facilitator } = row
      const [tx, from, to, by] = [transaction, buyer, merchant, facilitator].map(toBytes)
      return `${row.blockNumber}\t${row.logIndex}\t${row.timestamp}\t${tx}\t${from}\t${to}\t${row.amount}\t${by}\t${row.evidence}\n`
    })
    if (!stream.write(text.join(''))) await once(stream, 'drain')
  }
  stream.end()
  await once(stream, 'finish')
}

async function report(client: pg.Client, { start, end }: SyntheticWeek) {
  const startMs = performance.now()
  const rows = async (text: string) =>
    (await client.query<unknown[]>({ text, rowMode: 'array' })).rows.map((row) => row.map(String))
  await client.query(STATEMENTS.judge, [start, end])
  const totals = await rows(STATEMENTS.totals)
  const topBuyers = new Map((await rows(STATEMENTS.topBuyers)) as [string, string][])
  const flags = Map.groupBy(await rows(STATEMENTS.flags), ([merchant]) => merchant)
  const daily = Map.groupBy(await rows(STATEMENTS.daily), ([merchant]) => merchant)
  const reportSeconds = (performance.now() - startMs) / 1000
  const merchants = totals.map(([merchant = '', ...figures]): [string, string] => {
    const [tx, amount, realTx, realAmount, buyers, realBuyers, quartiles, medianPassing] = figures
    const text = [
      tx,
      amount,
      realTx,
      realAmount,
      buyers,
      realBuyers,
      topBuyers.get(merchant),
      quartiles,
      medianPassing,
      ...(flags.get(merchant) ?? []).map(([, ...flag]) => flag.join(' ')),
      ...(daily.get(merchant) ?? []).map(([, ...day]) => day.join(' ')),
    ].join()
    return [`0x${merchant}`, text]
  })
  return { reportSeconds, merchants: new Map(merchants) }
}
