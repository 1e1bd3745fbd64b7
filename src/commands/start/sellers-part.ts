import type { Service } from '../../catalogue/service.ts'
import type { Config } from '../../config.ts'
import { seedSample } from '../../social/source/store/seed-sample.ts'
import { createWorkerPool } from '../../workers/pool.ts'
import { createProgress } from '../progress.ts'
import { PAID_SERVICES, placeService } from '../setup/addresses.ts'
import { type Announced, addressRow } from '../setup/announce.ts'
import { findChain } from '../setup/chain.ts'
import { describeInference, offerLocalServers } from '../setup/describe-inference.ts'
import { openBrowser } from '../setup/open-browser.ts'
import { openLog } from '../setup/open-log.ts'
import { openTracer } from '../setup/open-tracer.ts'
import { openSelling } from '../setup/selling.ts'
import { facilitatorKeyOf, serveFacilitator } from '../setup/serve-facilitator.ts'
import { createService } from '../setup/services.ts'
import type { Shutdown } from '../setup/shutdown.ts'
import { isStoreAlone } from '../setup/social-provider.ts'
import { openStore } from '../setup/store.ts'
import { startUpkeep } from '../setup/upkeep.ts'
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
  const chain = await findChain(config, PAID_SERVICES)
  const state = await openStore(config, shutdown)
  if (chain.isDev && isStoreAlone(config)) await seedSample(state, new Date())
  const upkeep = startUpkeep({ state, logger })
  shutdown.onClose(() => upkeep.stop())
  const rendering = await phase('browser', () => openBrowser({ config, logger, shutdown }))
  const rows: (() => Announced[number])[] = []
  const { services, opening } = await phase('paid services', async () => {
    const workers = createWorkerPool()
    shutdown.onClose(() => workers.close())
    const selling = await openSelling({ config, chain, state, logger, tracer, workers })
    shutdown.onClose(() => selling.close())
    const opened: Service[] = []
    for (const name of PAID_SERVICES) {
      const place = await placeService(config, name)
      const { baseUrl } = place
      const { browsers } = rendering
      const service = await createService(name, { config, baseUrl, state, workers, logger, browsers })
      await selling.open(service, place)
      const { opening } = selling.gate
      rows.push(() => addressRow(name, { ...place, opening, about: `paid to ${chain.payTo[name]}` }))
      opened.push(service)
    }
    return { services: opened, opening: selling.gate.opening }
  })
  if (facilitatorKeyOf(config, chain) !== undefined)
    await phase('facilitator', async () => {
      const place = await placeService(config, 'facilitator')
      const listening = await serveFacilitator({ config, chain, state, logger, tracer, place })
      shutdown.onClose(() => listening.close())
      rows.push(() => addressRow('facilitator', { ...place, opening: listening.opening }))
    })
  const servers = await offerLocalServers(config)
  const notes = [rendering.row, ...describeInference(services, servers)]
  const note = (isOpen: boolean) =>
    parent.send({ kind: 'ready', table: { services: rows.map((row) => row()), notes, isOpen } })
  const canSell = opening.issue() === null
  note(canSell)
  if (!canSell) void opening.opened.then(() => note(true))
}
