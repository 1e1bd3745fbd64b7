import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Ticker } from '@tollbook/flow/ticker'
import { findFreePort } from '@tollbook/http/server/find-free-port'
import { type Config, environmentWith } from '@tollbook/runtime/config'
import { type Place, placeService, portSetting } from '@tollbook/runtime/places/addresses'
import { print } from '@tollbook/runtime/process/announce'
import { awaitFreePort } from '@tollbook/runtime/process/await-free-port'
import { lockDataFolder } from '@tollbook/runtime/process/data-folder-lock'
import { openLog } from '@tollbook/runtime/process/open-log'
import { makeDataFolder } from '@tollbook/runtime/process/private-files'
import { runUntilStopped, type Shutdown } from '@tollbook/runtime/process/shutdown'
import { SupervisedProcess } from '@tollbook/runtime/process/supervised-process'
import { watchPorts } from '@tollbook/runtime/process/watch-ports'
import { findPaidApps, loadApp, withInstalled } from './apps.ts'
import { type Command, NETWORK_OPTION, requireInstalled } from './command.ts'
import { logFileOf } from './start/log-file.ts'
import type { FromPart, PartName, PartTable } from './start/parent-link.ts'

export const start: Command = {
  name: 'start',
  usage: '[--network <name|file>]',
  notes: [
    'Prints a table of addresses, and ready once all answer and can sell; Ctrl-C stops it. Needs no setting: without',
    'TOLLBOOK_CHAIN_RPC_URL it runs a local chain with worthless money, and simulates a week of payments',
    'on it. TOLLBOOK_DATA_DIR sets the data folder, TOLLBOOK_<SERVICE>_PORT the port of each service. Two',
    'processes do the work, one for chain, indexer and reports, one for what is sold; one that ends is started again.',
  ],
  options: NETWORK_OPTION,
  run: () => runUntilStopped(startParts),
}

const PART_FILE = fileURLToPath(new URL('./start/part.worker.ts', import.meta.url))

async function startParts(loaded: Config, shutdown: Shutdown): Promise<void> {
  const config = await withInstalled(loaded)
  requireInstalled([
    ...(config.TOLLBOOK_CHAIN_RPC_URL ? [] : ['@tollbook/devchain']),
    ...(config.TOLLBOOK_FACILITATOR_URL ? [] : ['@tollbook/facilitator']),
  ])
  makeDataFolder(config)
  const lock = lockDataFolder(config.TOLLBOOK_DATA_DIR)
  shutdown.onClose(async () => lock.release())
  const logger = openLog(config, logFileOf(config))
  const { ports, places } = await fixPorts(config)
  const env = environmentWith(ports)
  const watches: Partial<Record<PartName, Ticker>> = {}
  const announceWith = createAnnouncer()
  let chainUp = Promise.withResolvers<void>()
  /** The services have opened once, so that their listings can be read. */
  let isSold = false

  const supervise = (
    name: PartName,
    options: { onEnd?(): void; onMessage(message: FromPart): void; ready?(): Promise<void> },
  ) =>
    new SupervisedProcess({
      ...options,
      name,
      logger,
      start: () =>
        fork(PART_FILE, [name], { env, execArgv: [], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] }),
      stop: (child) => child.send({ kind: 'stop' }, () => {}),
      onMessage: (message) => options.onMessage(message as FromPart),
      onEnd() {
        void watches[name]?.stop()
        delete watches[name]
        options.onEnd?.()
      },
      onGivenUp: shutdown.stop,
    })
  const note = (part: SupervisedProcess, name: PartName, table: PartTable) => {
    const onSilent = (port: number) => part.kill(`port ${port} does not answer`)
    watches[name] ??= watchPorts({ places: places[name], onSilent })
    announceWith(name, table)
  }
  const chain = supervise('chain', {
    onMessage(message) {
      if (message.kind === 'ready') return note(chain, 'chain', message.table)
      chain.noteUp()
      chainUp.resolve()
      if (isSold) chain.send({ kind: 'sold' })
    },
    onEnd() {
      chainUp = Promise.withResolvers<void>()
    },
  })
  const sellers = supervise('sellers', {
    ready: () => chainUp.promise,
    onMessage(message) {
      if (message.kind !== 'ready') return
      sellers.noteUp()
      isSold = true
      chain.send({ kind: 'sold' })
      note(sellers, 'sellers', message.table)
    },
  })
  shutdown.onClose(() => chain.stop())
  shutdown.onClose(() => sellers.stop())
  await Promise.all([chain.start(), sellers.start()])
}

/** Prints the table once both parts serve, and that they are ready once both can do what they are for. */
function createAnnouncer(): (name: PartName, table: PartTable) => void {
  const tables: Partial<Record<PartName, PartTable>> = {}
  let isAnnounced = false
  let isReady = false
  return (name, table) => {
    tables[name] = table
    const { chain, sellers } = tables
    if (!chain || !sellers) return
    if (!isAnnounced)
      print({ announced: [...chain.services, ...sellers.services, ...chain.notes, ...sellers.notes] })
    isAnnounced = true
    if (!isReady && chain.isOpen && sellers.isOpen) {
      isReady = true
      print({ isReady })
    }
  }
}

/** Ports that stay the same when a part starts again; those that are chosen freely are chosen here. */
async function fixPorts(config: Config): Promise<{
  readonly ports: Readonly<Record<string, string>>
  readonly places: Readonly<Record<PartName, readonly Place[]>>
}> {
  const ports: Record<string, string> = {}
  const places: Record<PartName, Place[]> = { chain: [], sellers: [] }
  const isFacilitator = !config.TOLLBOOK_FACILITATOR_URL
  const hasReports = await (await loadApp('report')).hasReports(config)
  const names = [...(hasReports ? ['report'] : []), ...(await findPaidApps()).map(({ name }) => name)]
  for (const name of isFacilitator ? [...names, 'facilitator'] : names) {
    const place = await placeService(config, name)
    await awaitFreePort(name, place)
    ports[portSetting(name)] = `${place.port}`
    places[name === 'report' ? 'chain' : 'sellers'].push(place)
  }
  const chainPort = config.TOLLBOOK_DEVCHAIN_PORT || (await findFreePort('127.0.0.1'))
  return { ports: { ...ports, TOLLBOOK_DEVCHAIN_PORT: `${chainPort}` }, places }
}
