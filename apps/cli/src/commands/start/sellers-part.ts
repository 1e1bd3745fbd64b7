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
import { findDiscovery, findPaidApps } from '../apps.ts'
import { openStore } from '../open-store.ts'
import { openSold } from '../serve/open-sold.ts'
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
  const sold = await openSold({ apps, config, chain, state, logger, tracer, shutdown, phase })
  const { opening } = sold
  let facilitator: (() => Announced[number]) | null = null
  if (facilitatorKeyOf(config, chain) !== undefined)
    await phase('facilitator', async () => {
      const { serveFacilitator } = await import('@tollbook/runtime/selling/serve-facilitator').catch(
        throwAbsence,
      )
      const place = await placeService(config, 'facilitator')
      const discovery = await findDiscovery(config, state)
      const listening = await serveFacilitator({ config, chain, state, logger, tracer, place, discovery })
      shutdown.onClose(() => listening.close())
      facilitator = () => addressRow('facilitator', { ...place, opening: listening.opening })
    })
  const note = (isOpen: boolean) => {
    const services = [...sold.addresses(), ...(facilitator ? [facilitator()] : [])]
    parent.send({ kind: 'ready', table: { services, notes: sold.notes, isOpen } })
  }
  const canSell = opening.issue() === null
  note(canSell)
  if (!canSell) void opening.opened.then(() => note(true))
}
