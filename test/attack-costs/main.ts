import { parseArgs } from 'node:util'
import { printFigure } from '../../measurements/print-figure.ts'
import { printRun } from '../../measurements/print-run.ts'
import type { Attack, Outcome } from './attack.ts'
import { highBaseFee } from './base-fee.ts'
import { dearWallet, lyingWallet } from './coded-payer.ts'
import { drainInBlock, drainRelayed, drainSwept, ringReused } from './drain-in-block.ts'
import { engineWork } from './engine-work.ts'
import { parallelBodies } from './parallel-bodies.ts'
import { PRICES } from './prices.ts'
import { roamingPurse } from './roaming-purse.ts'
import { dustPayees, freshPayees, selfPayments } from './round-trips.ts'
import { unsignedBodies } from './unsigned-bodies.ts'
import { openWorld } from './world.ts'

const ATTACKS: readonly Attack[] = [
  lyingWallet,
  dearWallet,
  drainInBlock,
  drainRelayed,
  drainSwept,
  ringReused,
  roamingPurse,
  engineWork,
  unsignedBodies,
  parallelBodies,
  highBaseFee,
  selfPayments,
  dustPayees,
  freshPayees,
]

const HELP = `npm run attack -- [--only <names>] [--of <version>]

Runs attacks that are expensive for a seller against the whole product on a dev chain of its own, on loopback, with
the default limits. Prints as JSON lines what each costs the attacker and the seller, in dollars, and whether the
seller loses more than the attacker spends. Progress goes to stderr. Takes about five minutes.

Dollars assume gas at ${PRICES.gasPriceGwei} gwei, an ETH at ${PRICES.ethUsd} dollars, a core at ${PRICES.coreHourUsd} dollars an hour, and upstream
tokens at the price of the tier. What an attacker only holds, such as the balance of a wallet, is no cost; what it
pays to move that is, and so is its processor time at the price of the seller's.

  --only <names>  only these, separated by commas
  --of <version>  adds a version to the names of the figures, to keep those of several
  -h, --help      this text

${ATTACKS.map(({ name, summary }) => `  ${name.padEnd(16)} ${summary}`).join('\n')}
`

process.exitCode = await main()

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      only: { type: 'string' },
      of: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  const names = values.only?.split(',') ?? ATTACKS.map(({ name }) => name)
  const unknown = names.filter((name) => !ATTACKS.some((attack) => attack.name === name))
  if (values.help || unknown.length > 0) {
    for (const name of unknown) process.stderr.write(`no such attack: ${name}\n`)
    process.stdout.write(HELP)
    return values.help ? 0 : 2
  }
  printRun('attack')
  const suffix = values.of === undefined ? '' : `, ${values.of}`
  const chosen = ATTACKS.filter(({ name }) => names.includes(name))
  let failures = 0
  for (const [ethUsd, attacks] of Map.groupBy(chosen, (attack) => attack.ethUsd ?? 0))
    failures += await runAll(attacks, { ethUsd, suffix })
  return failures === 0 ? 0 : 1
}

/** Runs attacks on one product and returns how many could not run. */
async function runAll(
  attacks: readonly Attack[],
  { ethUsd, suffix }: { readonly ethUsd: number; readonly suffix: string },
): Promise<number> {
  process.stderr.write('starting the product\n')
  const world = await openWorld(ethUsd)
  let failures = 0
  try {
    for (const attack of attacks) {
      process.stderr.write(`${attack.name}: ${attack.summary}\n`)
      try {
        const outcome = await attack.run(world, (words) => process.stderr.write(`  ${words}\n`))
        print(`attack ${attack.name}${suffix}`, outcome)
      } catch (error) {
        failures += 1
        process.stderr.write(
          `${attack.name} could not run: ${error instanceof Error ? error.stack : error}\n`,
        )
      }
    }
  } finally {
    await world.close()
  }
  return failures
}

function print(bench: string, outcome: Outcome): void {
  const { setting } = outcome
  if (outcome.kind === 'delay') {
    const [value, peerValue] = [round(outcome.p99Ms), round(outcome.p99BeforeMs)]
    const peer = 'the same without the attack'
    printFigure({ bench, figure: 'p99 of /healthz for others', unit: 'ms', value, peer, peerValue, setting })
    return
  }
  if (outcome.kind === 'memory') {
    const { peakMb: value, beforeMb: peerValue } = outcome
    const peer = 'the same process before'
    printFigure({ bench, figure: 'peak of resident memory', unit: 'MB', value, peer, peerValue, setting })
    return
  }
  const { attackerUsd, sellerUsd, receivedUsd } = outcome
  const lossUsd = sellerUsd - receivedUsd
  const unit = 'dollars'
  printFigure({ bench, figure: 'cost to the attacker', unit, value: round(attackerUsd), setting })
  printFigure({
    bench,
    figure: 'cost to the seller',
    unit,
    value: round(sellerUsd),
    setting: { received: round(receivedUsd) },
  })
  printFigure({
    bench,
    figure: 'loss of the seller beyond the cost to the attacker',
    unit,
    value: round(Math.max(0, lossUsd - attackerUsd)),
    setting: { isAtMostThatOfTheAttacker: lossUsd <= attackerUsd ? 'yes' : 'no' },
  })
}

function round(value: number): number {
  return Number(value.toPrecision(3))
}
