import type { Service } from '@tollbook/endpoints/service'
import { createProgress } from '@tollbook/flow/progress'
import { findChain } from '@tollbook/runtime/chain/chain-setting'
import type { Config } from '@tollbook/runtime/config'
import { placeService } from '@tollbook/runtime/places/addresses'
import { type Announced, addressRow } from '@tollbook/runtime/process/announce'
import { openLog } from '@tollbook/runtime/process/open-log'
import { openTracer } from '@tollbook/runtime/process/open-tracer'
import { throwAbsence } from '@tollbook/runtime/process/package-missing'
import type { Shutdown } from '@tollbook/runtime/process/shutdown'
import { facilitatorKeyOf } from '@tollbook/runtime/selling/facilitator-key'
import { openSelling } from '@tollbook/runtime/selling/selling'
import { startUpkeep } from '@tollbook/runtime/selling/upkeep'
import { createWorkerPool } from '@tollbook/workers/pool'
import { findDiscovery, findPaidApps, joinMounts } from '../apps.ts'
import { openStore } from '../open-store.ts'
import { logFileOf } from './log-file.ts'
import type { ParentLink } from './parent-link.ts'

export type PartOptions = {
  readonly config: Config
  readonly shutdown: Shutdown
  readonly parent: ParentLink
}

/** Opens everything that is sold: the paid services and the facilitator. */
export async function openSellersPart({ config, shutdown, parent }: PartOptions): Promise<void> {
  const { phase } = createProgress()
  const logger = openLog(config, logFileOf(config))
  const tracer = await openTracer(config, logger, shutdown)
  const apps = await findPaidApps()
  const chain = await findChain(
    config,
    apps.map(({ name }) => name),
  )
  const state = await openStore(config, shutdown)
  if (chain.isDev) for (const app of apps) await app.seed?.(state, config)
  const upkeep = startUpkeep({ sweeps: apps.map(({ sweep }) => sweep(state, logger)), logger })
  shutdown.onClose(() => upkeep.stop())
  const prepare = (app: (typeof apps)[number]) => app.prepare({ config, logger, shutdown })
  const prepared = new Map<string, Awaited<ReturnType<typeof prepare>>>()
  for (const app of apps) {
    const { preparation } = app
    prepared.set(app.name, await (preparation ? phase(preparation, () => prepare(app)) : prepare(app)))
  }
  const rows: (() => Announced[number])[] = []
  const { services, opening } = await phase('paid services', async () => {
    const workers = createWorkerPool()
    shutdown.onClose(() => workers.close())
    const selling = await openSelling({ config, chain, state, logger, tracer, workers })
    shutdown.onClose(() => selling.close())
    const opened: Service[] = []
    for (const [name, { open }] of prepared) {
      const place = await placeService(config, name)
      const { baseUrl } = place
      const service = await open({ config, baseUrl, state, workers, logger, mount: joinMounts(apps) })
      await selling.open(service, place)
      const { opening } = selling.gate
      rows.push(() => addressRow(name, { ...place, opening, about: `paid to ${chain.payTo[name]}` }))
      opened.push(service)
    }
    return { services: opened, opening: selling.gate.opening }
  })
  if (facilitatorKeyOf(config, chain) !== undefined)
    await phase('facilitator', async () => {
      const { serveFacilitator } = await import('@tollbook/runtime/selling/serve-facilitator').catch(
        throwAbsence,
      )
      const place = await placeService(config, 'facilitator')
      const discovery = await findDiscovery(config, state)
      const listening = await serveFacilitator({ config, chain, state, logger, tracer, place, discovery })
      shutdown.onClose(() => listening.close())
      rows.push(() => addressRow('facilitator', { ...place, opening: listening.opening }))
    })
  const described = await Promise.all(apps.map((app) => app.describe(services, config)))
  const notes = [...[...prepared.values()].flatMap((each) => each.rows), ...described.flat()]
  const note = (isOpen: boolean) =>
    parent.send({ kind: 'ready', table: { services: rows.map((row) => row()), notes, isOpen } })
  const canSell = opening.issue() === null
  note(canSell)
  if (!canSell) void opening.opened.then(() => note(true))
}
