import { BASE } from '@tollbook/chain/network'
import type { State } from '@tollbook/cli/commands/state/state'
import { sql } from 'kysely'

const YEAR_SECONDS = 365 * 86_400
/** One row in so many was released, of the last two hours. */
const RELEASED_EVERY = 10

/**
 * Fills the table of calls with a year of settled calls, evenly in time up to now. Answers of the last day are stored,
 * and those of the hour before, which a sweep deletes; so are released calls of two hours, of which it deletes one.
 */
export async function fillPaidYear(state: State, rows: number, now: Date): Promise<void> {
  const seconds = Math.floor(now.getTime() / 1000)
  const isPostgres = state.kind === 'postgres'
  const numbers = isPostgres
    ? sql`generate_series(1, cast(${rows} as bigint)) as series (n)`
    : sql`(with recursive series (n) as (select 1 union all select n + 1 from series where n < ${rows})
        select n from series)`
  const hex = (of: number, bytes: number) =>
    isPostgres
      ? sql`substr(encode(sha256(convert_to(n || ':' || ${sql.lit(of)}, 'UTF8')), 'hex'), 1, ${sql.lit(2 * bytes)})`
      : sql`lower(hex(randomblob(${sql.lit(bytes)})))`
  const end = sql`cast(${seconds} - (${rows} - n) * ${YEAR_SECONDS} / ${rows} as bigint)`
  const ended = sql`(n % ${RELEASED_EVERY} = 0 and ${end} > ${seconds - 7_200})`
  const isKept = sql`(not ${ended} and ${end} > ${seconds - 90_000})`
  const body = isPostgres ? sql`decode(repeat(${hex(5, 32)}, 15), 'hex')` : sql`randomblob(480)`
  await sql`
    insert into paid_call (id, payer, nonce, network, asset, pay_to, scheme, service, endpoint, scope, fingerprint,
      state, is_open, is_stream, runs, is_rerun, claim, signed_amount, charge, valid_before, tx_hash, bytes_sent,
      reserved_at, updated_at, settled_at, check_at, answer_status, answer_headers, answer_body)
    select ${hex(1, 32)}, '0x' || ${hex(2, 20)}, '0x' || ${hex(3, 32)}, ${BASE.id}, ${BASE.usdc},
      '0x00000000000000000000000000000000000000bb', 'exact', 'utility', 'say', 'public', ${hex(4, 32)},
      case when ${ended} then 'released' else 'settled' end, 0, 0, 1, 0, ${hex(6, 18)}, 10000,
      case when ${ended} then null else 10000 end, ${end}, '0x' || ${hex(7, 32)}, 0, ${end} * 1000000, ${end} * 1000,
      case when ${ended} then null else ${end} * 1000 end, 0, case when ${isKept} then 200 end,
      case when ${isKept} then '{"content-type":"application/json"}' end, case when ${isKept} then ${body} end
    from ${numbers}`.execute(state.db)
}
