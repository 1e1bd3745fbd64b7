import type { Service } from '@tollbook/endpoints/service'
import type { createProgress } from '@tollbook/flow/progress'
import type { Tracer } from '@tollbook/flow/trace'
import type { App, PreparedApp } from '@tollbook/runtime/app'
import type { ChainSetting } from '@tollbook/runtime/chain/chain-setting'
import type { Config } from '@tollbook/runtime/config'
import { placeService } from '@tollbook/runtime/places/addresses'
import { type Announced, addressRow, type Opening } from '@tollbook/runtime/process/announce'
import type { Shutdown } from '@tollbook/runtime/process/shutdown'
import { openSelling } from '@tollbook/runtime/selling/selling'
import { startUpkeep } from '@tollbook/runtime/selling/upkeep'
import { createWorkerPool } from '@tollbook/workers/pool'
import type { Logger } from 'pino'
import { findAllApps, joinMounts } from '../apps.ts'
import type { State } from '../state/state.ts'

type Progress = ReturnType<typeof createProgress>

export type SoldOptions = {
  readonly apps: readonly App<State>[]
  readonly config: Config
  readonly chain: ChainSetting
  readonly state: State
  readonly logger: Logger
  readonly tracer: Tracer | undefined
  readonly shutdown: Shutdown
  /** Shows what takes time; default nothing. */
  readonly phase?: Progress['phase']
}

export type Sold = {
  readonly services: readonly Service[]
  readonly opening: Opening
  /** A row for each address, as it is now. */
  readonly addresses: () => Announced
  /** What was prepared, and what is sold. */
  readonly notes: Announced
}

/** Opens these services with one gate, each at its address. */
export async function openSold(options: SoldOptions): Promise<Sold> {
  const { apps, config, chain, state, logger, tracer, shutdown } = options
  const { phase = runSilently } = options
  const all = await findAllApps(apps)
  if (chain.isDev) for (const app of apps) await app.seed?.(state, config)
  const upkeep = startUpkeep({ sweeps: all.map(({ sweep }) => sweep(state, logger)), logger })
  shutdown.onClose(() => upkeep.stop())
  const prepared = new Map<string, PreparedApp<State>>()
  for (const app of apps) {
    const { name, preparation } = app
    const prepare = () => app.prepare({ config, logger, shutdown })
    prepared.set(name, await (preparation === null ? prepare() : phase(preparation, prepare)))
  }
  const rows: (() => Announced[number])[] = []
  const { services, opening } = await phase('paid services', async () => {
    const workers = createWorkerPool()
    shutdown.onClose(() => workers.close())
    const selling = await openSelling({ config, chain, state, logger, tracer, workers })
    shutdown.onClose(() => selling.close())
    const { opening } = selling.gate
    const opened: Service[] = []
    for (const [name, { open }] of prepared) {
      const place = await placeService(config, name)
      const { baseUrl } = place
      const service = await open({ config, baseUrl, state, workers, logger, mount: joinMounts(all) })
      await selling.open(service, place)
      rows.push(() => addressRow(name, { ...place, opening, about: `paid to ${chain.payTo[name]}` }))
      opened.push(service)
    }
    return { services: opened, opening }
  })
  const described = await Promise.all(all.map((app) => app.describe(services, config)))
  return {
    services,
    opening,
    addresses: () => rows.map((row) => row()),
    notes: [...[...prepared.values()].flatMap((each) => each.rows), ...described.flat()],
  }
}

const runSilently: Progress['phase'] = (_, run) => run({ at() {} })
