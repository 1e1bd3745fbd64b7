import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { printFigure } from '../../bench/figure.ts'
import { printRun } from '../../measurements/print-run.ts'
import { startPostgres } from '../state/postgres.ts'
import { killFacilitators } from './facilitator-series.ts'
import { killIndexers } from './indexer-series.ts'
import { killChannels } from './kill-channels.ts'
import { type Market, openMarket } from './market.ts'
import { playSeries } from './series.ts'
import { openShop } from './shop.ts'

/** Kills per seed: each series begins and ends with balanced books. */
const KILLS_PER_SERIES = 20
const BUYERS = 12
/** No further series starts after this. */
const MAX_MS = 10 * 60_000

const HELP = `Kills sellers at random moments while callers buy, and balances callers, ledger and chain.

usage: npm run crash -- [options]

  --kills <number>            kills in all; default 200, of indexers 100
  --seed <number>             of the first series, to repeat one; default random
  --state <sqlite|postgres>   store of the sellers; default sqlite
  --processes <1|2|3>         sellers (at most two) or facilitators at the same time, with one key; default 1
  --facilitator               kills facilitators instead, while sellers settle
  --channels                  kills sellers while the SDK's client buys from a payment channel instead
  --indexer                   kills indexers instead, while a simulated chain grows and is reorganised, and
                              compares their ledger with that of a run without trouble
  -h, --help                  this text

A series has ${KILLS_PER_SERIES} kills, and its seed is one higher than that of the series before. The seed fixes what is
bought and when is killed, not how the system schedules it. No series begins after ten minutes.
`

process.exitCode = await main()

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      kills: { type: 'string' },
      seed: { type: 'string', default: `${randomInt(1_000_000)}` },
      state: { type: 'string', default: 'sqlite' },
      processes: { type: 'string', default: '1' },
      indexer: { type: 'boolean', default: false },
      facilitator: { type: 'boolean', default: false },
      channels: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  const kills = Number(values.kills ?? (values.indexer ? '100' : '200'))
  const firstSeed = Number(values.seed)
  const areNumbers = Number.isSafeInteger(kills) && kills > 0 && Number.isSafeInteger(firstSeed)
  const areNames =
    ['sqlite', 'postgres'].includes(values.state) &&
    ['1', '2', ...(values.facilitator ? ['3'] : [])].includes(values.processes)
  if (values.help || !areNumbers || !areNames) {
    process.stdout.write(HELP)
    return values.help ? 0 : 2
  }
  printRun('crash')
  if (values.indexer) return playIndexers(kills, firstSeed)
  if (values.channels)
    return playChannels({ kills, firstSeed, state: values.state, processes: Number(values.processes) })
  const stateUrl = values.state === 'postgres' ? await (await startPostgres()).createDatabase() : undefined
  const market = await openMarket(BUYERS)
  if (values.facilitator) {
    const { state } = values
    return playFacilitators(market, {
      state,
      stateUrl,
      kills,
      firstSeed,
      processes: Number(values.processes),
    })
  }
  const shop = await openShop(market, stateUrl)
  const processes = values.processes === '2' ? 2 : 1
  const total = { kills: 0, calls: 0, answers: 0, violations: 0, deaths: new Map<string, number>() }
  const startedMs = performance.now()
  for (let seed = firstSeed; total.kills < kills; seed += 1) {
    if (performance.now() - startedMs > MAX_MS) break
    const now = Math.min(KILLS_PER_SERIES, kills - total.kills)
    const result = await playSeries({ market, shop, seed, kills: now, processes, buyers: BUYERS })
    total.kills += now
    total.calls += result.calls
    total.answers += result.answers
    total.violations += result.violations.length
    for (const [state, count] of Object.entries(result.deaths))
      total.deaths.set(state, (total.deaths.get(state) ?? 0) + count)
    for (const words of result.violations) console.log(words)
    const seconds = Math.round((performance.now() - startedMs) / 1000)
    console.log(
      `${total.kills}/${kills} kills, ${total.calls} calls, ${total.violations} violations (seed ${seed}, ${seconds} s)`,
    )
  }
  await shop.close({ keepsFolder: total.violations > 0 })
  await market.close()
  const places = [...total.deaths].map(([state, count]) => `${count} ${state}`).join(', ')
  console.log(`open calls at the kills, by state: ${places}`)
  if (total.violations > 0) console.log(`the sellers' store and log stay in ${shop.folder}`)
  console.log(
    `${total.kills} kills, ${total.calls} calls (${total.answers} answered, the others refused uncharged), ` +
      `${total.violations} violations, seeds ${firstSeed} and on`,
  )
  const setting = { state: values.state, processes, seed: firstSeed, calls: total.calls }
  const bench = `crash of sellers, ${values.state}, ${processes === 1 ? 'one' : 'two'} at a time`
  printFigure({ bench, figure: 'kills', unit: 'kills', value: total.kills, setting })
  printFigure({ bench, figure: 'violations', unit: '', value: total.violations, setting })
  return total.violations === 0 ? 0 : 1
}

async function playChannels(options: {
  kills: number
  firstSeed: number
  state: string
  processes: number
}): Promise<number> {
  const { kills, firstSeed, state, processes } = options
  for (let done = 0; done < kills; done += KILLS_PER_SERIES) {
    const now = Math.min(KILLS_PER_SERIES, kills - done)
    const stateUrl = state === 'postgres' ? await (await startPostgres()).createDatabase() : undefined
    const seed = firstSeed + done / KILLS_PER_SERIES
    await killChannels(now, { stateUrl, seed, processes })
    console.log(`${done + now}/${kills} kills, 0 violations`)
  }
  return 0
}

async function playFacilitators(
  market: Market,
  options: {
    state: string
    stateUrl: string | undefined
    kills: number
    firstSeed: number
    processes: number
  },
): Promise<number> {
  const { state, stateUrl, kills, firstSeed, processes } = options
  const total = { kills: 0, payments: 0, requests: 0, violations: 0 }
  for (let seed = firstSeed; total.kills < kills; seed += 1) {
    const now = Math.min(KILLS_PER_SERIES, kills - total.kills)
    const result = await killFacilitators({
      market,
      seed,
      kills: now,
      processes,
      ...(stateUrl && { stateUrl }),
    })
    total.kills += now
    total.payments += result.payments
    total.requests += result.requests
    total.violations += result.violations.length
    for (const words of result.violations) console.log(words)
    console.log(`${total.kills}/${kills} kills, ${total.payments} payments, ${total.violations} violations`)
  }
  await market.close()
  const setting = { state, processes, seed: firstSeed, payments: total.payments, requests: total.requests }
  const bench = `crash of facilitators, ${state}, ${processes} at a time`
  printFigure({ bench, figure: 'kills', unit: 'kills', value: total.kills, setting })
  printFigure({ bench, figure: 'violations', unit: '', value: total.violations, setting })
  return total.violations === 0 ? 0 : 1
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
