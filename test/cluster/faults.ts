import { writeFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import type { Random } from '@tollbook/devchain/demo-week/random'
import type { House } from '../soak/town.ts'
import type { ClickhouseGrid } from './clickhouse-grid.ts'
import type { PostgresPair } from './postgres-pair.ts'

/** What may be broken. */
export type Scene = {
  readonly houses: readonly House[]
  readonly postgres: PostgresPair
  readonly clickhouse: ClickhouseGrid
  /** By the name of the house: the file in which faketime reads how far its clock is off. */
  readonly clocks: ReadonlyMap<string, string>
  /** Ends a process, at once or in order, and starts another at its address, as often as it takes. */
  readonly revive: (house: House, isOrderly: boolean) => Promise<void>
  readonly random: Random
}

/** A fault does its harm and repairs it. @returns what was harmed. */
type Fault = (scene: Scene) => Promise<string>

/** Longer than the silence after which an indexer loses the lead, so that the other one takes over. */
const LEAD_SILENCE_MS = 40_000

export const FAULTS: Readonly<Record<string, Fault>> = {
  async 'kill -9'({ houses, random, revive }) {
    const house = pick(houses, random)
    await revive(house, false)
    return house.name
  },
  async 'process stopped'({ houses, random }) {
    const house = pick(houses, random)
    const isIndexer = house.name.startsWith('indexer')
    await stopFor(house.pid, isIndexer ? LEAD_SILENCE_MS : 3_000 + random() * 9_000)
    return house.name
  },
  async 'rolling restart'({ houses, random, revive }) {
    const { sells } = pick(
      houses.filter((house) => house.sells !== null),
      random,
    )
    for (const house of houses) if (house.sells === sells) await revive(house, true)
    return `${sells}`
  },
  async 'PostgreSQL failover'({ postgres }) {
    await postgres.failOver()
    return 'primary'
  },
  async 'PostgreSQL standby away'({ postgres, random }) {
    await postgres.loseStandby(random() * 10_000)
    return 'standby'
  },
  async 'ClickHouse shard away'({ clickhouse, random }) {
    const shard = Math.floor(random() * 2)
    await clickhouse.loseShard(shard, random() * 10_000)
    return `shard ${shard + 1}`
  },
  async 'ClickHouse replica away'({ clickhouse, random }) {
    const at = Math.floor(random() * clickhouse.islands.length)
    await clickhouse.loseReplica(at, random() * 10_000)
    return `server ${at + 1}`
  },
  async 'network partition'({ postgres, clickhouse, random }) {
    const islands = [postgres.primary, postgres.standby, ...clickhouse.islands]
    const at = Math.floor(random() * islands.length)
    const island = islands[at]
    island?.cut()
    await wait(2_000 + random() * 6_000)
    island?.heal()
    return ['PostgreSQL primary', 'PostgreSQL standby'][at] ?? `ClickHouse server ${at - 1}`
  },
  async 'clock step'({ houses, clocks, random }) {
    const house = pick(houses, random)
    const file = clocks.get(house.name) ?? ''
    const seconds = (random() < 0.5 ? -1 : 1) * Math.ceil(1 + random() * 14)
    writeFileSync(file, `${seconds < 0 ? '' : '+'}${seconds}s\n`)
    await wait(10_000)
    writeFileSync(file, '+0s\n')
    return `${house.name} by ${seconds} s`
  },
  async 'disk full'({ postgres, random }) {
    await postgres.fillDisk(2_000 + random() * 4_000)
    return 'PostgreSQL primary'
  },
  async 'slow disk'({ postgres, random }) {
    const delayMs = Math.round(20 + random() * 80)
    await postgres.slowDisk(10_000, delayMs)
    return `PostgreSQL primary by ${delayMs} ms a flush`
  },
}

/** The kinds of faults without end: in each round every kind once, in random order. */
export function* drawFaults(random: Random): Generator<string, never> {
  for (;;) {
    const round = Object.keys(FAULTS)
    while (round.length > 0) yield round.splice(Math.floor(random() * round.length), 1)[0] ?? ''
  }
}

function pick(houses: readonly House[], random: Random): House {
  const house = houses[Math.floor(random() * houses.length)]
  if (!house) throw new Error('there is no such process')
  return house
}

async function stopFor(pid: number | undefined, ms: number): Promise<void> {
  if (pid === undefined) return
  process.kill(pid, 'SIGSTOP')
  await wait(ms)
  try {
    process.kill(pid, 'SIGCONT')
  } catch {
    // It has ended meanwhile.
  }
}
