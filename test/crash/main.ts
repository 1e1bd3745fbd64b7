import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { startPostgres } from '@tollbook/testing/state/postgres'
import { printFigure } from '../../measurements/print-figure.ts'
import { printRun } from '../../measurements/print-run.ts'
import { killFacilitators } from './facilitator-series.ts'
import { killGates } from './gates/kill-gates.ts'
import { killIndexers } from './indexer-series.ts'
import { killChannels } from './kill-channels.ts'
import { killServices } from './kill-services.ts'
import { type Market, openMarket } from './market.ts'
import { playSeries } from './series.ts'
import { openShop } from './shop.ts'

/** Kills per seed: each series begins and ends with balanced books. */
const KILLS_PER_SERIES = 20
const BUYERS = 12
/** No further series starts after this. */
const MAX_MS = 20 * 60_000
/** Kills between two lines of progress. */
const KILLS_PER_LINE = 5

const HELP = `Kills sellers at random moments while callers buy, and balances callers, ledger and chain.

usage: npm run crash -- [options]

  --kills <number>            kills in all; default 200, of indexers 100
  --seed <number>             of the first series, to repeat one; default random
  --state <sqlite|postgres>   store of the sellers; default sqlite
  --processes <1|2|3>         sellers (at most two) or facilitators at the same time, with one key; default 1
  --facilitator               kills facilitators instead, while sellers settle payments, and channels
  --services                  kills two sellers and the three facilitators that they settle with, in turn, on one
                              PostgreSQL, while stock clients buy
  --channels                  kills sellers while the SDK's client buys from a payment channel instead
  --gate                      kills servers of Hono, Express, Fastify, Next and Node with paid(gate, route) instead, one
                              framework in each series, while stock clients buy
  --indexer                   kills indexers instead, while a simulated chain grows and is reorganised, and
                              compares their ledger with that of a run without trouble
  -h, --help                  this text

A series has ${KILLS_PER_SERIES} kills, and its seed is one higher than that of the series before. The seed fixes what is
bought and when is killed, not how the system schedules it. No series begins after twenty minutes.
`

process.exitCode = await main()

type Series = {
  readonly seed: number
  readonly kills: number
  /** Of an empty store; undefined: SQLite. */
  readonly stateUrl: string | undefined
  readonly onKill: () => void
}
/** What a series did, and what was wrong. */
type Played = { readonly counts: Readonly<Record<string, number>>; readonly violations: readonly string[] }

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      kills: { type: 'string' },
      seed: { type: 'string', default: `${randomInt(1_000_000)}` },
      state: { type: 'string' },
      processes: { type: 'string', default: '1' },
      indexer: { type: 'boolean', default: false },
      facilitator: { type: 'boolean', default: false },
      services: { type: 'boolean', default: false },
      channels: { type: 'boolean', default: false },
      gate: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  const kills = Number(values.kills ?? (values.indexer ? '100' : '200'))
  const seed = Number(values.seed)
  const { state = values.services ? 'postgres' : 'sqlite' } = values
  const processes = Number(values.processes)
  const areNumbers = Number.isSafeInteger(kills) && kills > 0 && Number.isSafeInteger(seed)
  const areNames =
    (values.services ? ['postgres'] : ['sqlite', 'postgres']).includes(state) &&
    ['1', '2', ...(values.facilitator ? ['3'] : [])].includes(values.processes)
  if (values.help || !areNumbers || !areNames) {
    process.stdout.write(HELP)
    return values.help ? 0 : 2
  }
  printRun('crash')
  if (values.indexer) return playIndexers(kills, seed)
  const settings = { kills, seed, state, processes }
  const many = ['', 'one', 'two', 'three'][processes]
  if (values.gate)
    return playAll(`gates in other servers, ${state}`, settings, async (series) => {
      const { counts, states, violations } = await killGates(series)
      console.log(
        `open calls at the kills, by state: ${[...states].map((each) => each.reverse().join(' ')).join(', ')}`,
      )
      return { counts, violations }
    })
  if (values.channels)
    return playAll(`channels, ${state}, ${many} at a time`, settings, async ({ kills: now, ...series }) => {
      await killChannels(now, { ...series, processes })
      return { counts: {}, violations: [] }
    })
  if (values.services)
    return playAll('services, postgres', settings, (series) =>
      withMarket(async (market) => {
        const counts = await killServices({ ...series, market, stateUrl: series.stateUrl ?? '' })
        return { counts, violations: [] }
      }),
    )
  if (values.facilitator)
    return playAll(`facilitators, ${state}, ${processes} at a time`, settings, (series) =>
      withMarket(async (market) => {
        const { violations, ...counts } = await killFacilitators({ ...series, market, processes })
        return { counts, violations }
      }),
    )
  return playAll(`sellers, ${state}, ${many} at a time`, settings, (series) =>
    withMarket(async (market) => {
      const shop = await openShop(market, series.stateUrl)
      const played = { ...series, market, shop, processes: processes === 2 ? 2 : 1, buyers: BUYERS } as const
      const { calls, answers, deaths, violations } = await playSeries(played)
      const places = Object.entries(deaths).map(([at, count]) => `${count} ${at}`)
      console.log(`open calls at the kills, by state: ${places.join(', ')}`)
      await shop.close({ keepsFolder: violations.length > 0 })
      if (violations.length > 0) console.log(`the sellers' store and log stay in ${shop.folder}`)
      return { counts: { calls, answers }, violations }
    }),
  )
}

/** Each series has its own chain: one with many blocks is slow. */
async function withMarket<Result>(use: (market: Market) => Promise<Result>): Promise<Result> {
  const market = await openMarket(BUYERS)
  try {
    return await use(market)
  } finally {
    await market.close()
  }
}

/** Plays series until there were enough kills. @param name of what is killed, and how */
async function playAll(
  name: string,
  settings: { kills: number; seed: number; state: string; processes: number },
  play: (series: Series) => Promise<Played>,
): Promise<number> {
  const { kills, seed: firstSeed, state, processes } = settings
  const postgres = state === 'postgres' ? await startPostgres() : null
  const counts = new Map<string, number>()
  const startedMs = performance.now()
  const report = (killed: number, seed: number) => {
    const done = [...counts].map(([what, count]) => `, ${count} ${what}`).join('')
    const seconds = Math.round((performance.now() - startedMs) / 1000)
    console.log(`${killed}/${kills} kills${done}, ${violations} violations (seed ${seed}, ${seconds} s)`)
  }
  let violations = 0
  let killed = 0
  for (let seed = firstSeed; killed < kills && performance.now() - startedMs < MAX_MS; seed += 1) {
    const now = Math.min(KILLS_PER_SERIES, kills - killed)
    const stateUrl = await postgres?.createDatabase()
    let inSeries = 0
    const onKill = () => {
      inSeries += 1
      if (inSeries % KILLS_PER_LINE === 0 && inSeries < now) report(killed + inSeries, seed)
    }
    const result = await play({ seed, kills: now, stateUrl, onKill })
    if (stateUrl) await postgres?.dropDatabase(stateUrl)
    for (const [what, count] of Object.entries(result.counts))
      counts.set(what, (counts.get(what) ?? 0) + count)
    for (const words of result.violations) console.log(words)
    violations += result.violations.length
    killed += now
    report(killed, seed)
  }
  const setting = { state, processes, seed: firstSeed, ...Object.fromEntries(counts) }
  const bench = `crash of ${name}`
  printFigure({ bench, figure: 'kills', unit: 'kills', value: killed, setting })
  printFigure({ bench, figure: 'violations', unit: '', value: violations, setting })
  return violations === 0 ? 0 : 1
}

async function playIndexers(kills: number, seed: number): Promise<number> {
  const onKill = (killed: number) => {
    if (killed % 10 === 0) console.log(`${killed}/${kills} kills (seed ${seed})`)
  }
  const { rows, undisturbed, endBlock, reorganisations } = await killIndexers({ kills, seed, onKill })
  const wrong = [...rows.filter((row, at) => row !== undisturbed[at]), ...undisturbed.slice(rows.length)]
  for (const row of wrong.slice(0, 10)) console.log(`differs: ${row}`)
  console.log(
    `${kills} kills of indexers, ${reorganisations} reorganisations, ${rows.length} payments up to block ${endBlock}, ` +
      `${wrong.length} differences from a run without trouble, seed ${seed}`,
  )
  const setting = { seed, reorganisations, payments: rows.length }
  printFigure({ bench: 'crash of indexers', figure: 'kills', unit: 'kills', value: kills, setting })
  printFigure({ bench: 'crash of indexers', figure: 'differences', unit: '', value: wrong.length, setting })
  return wrong.length === 0 ? 0 : 1
}
