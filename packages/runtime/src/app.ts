import type { Endpoint } from '@tollbook/endpoints/endpoint'
import type { Service } from '@tollbook/endpoints/service'
import type { Migration } from '@tollbook/store/migration'
import type { WorkerPool } from '@tollbook/workers/pool'
import type { Logger } from 'pino'
import type { Finding } from './check/finding.ts'
import type { Config } from './config.ts'
import type { Row } from './process/announce.ts'
import type { Shutdown } from './process/shutdown.ts'
import type { Sweep } from './selling/upkeep.ts'

/** A check of the settings and of the upstreams that they name. */
export type Check = readonly [name: string, work: () => Promise<readonly Finding[]>]

/** Endpoints of an app that are sold on the host of another, over the ports of that one. */
export type Mount = (service: string, ports: unknown) => Promise<readonly Endpoint[]>

export type ProcessContext = {
  readonly config: Config
  readonly logger: Logger
  readonly shutdown: Shutdown
}

/** What an app is opened with. */
export type AppContext<State> = {
  readonly config: Config
  /** Public address, without a trailing slash. */
  readonly baseUrl: string
  readonly state: State
  readonly workers: WorkerPool
  readonly logger: Logger
  /** Null if no other installed app has endpoints for this one. */
  readonly mount: Mount | null
}

/** An app whose programs run, so that its service can be opened. */
export type PreparedApp<State> = {
  /** What was prepared, for the table of the start. */
  readonly rows: readonly Row[]
  open(context: AppContext<State>): Promise<Service>
}

/** A paid service that can be installed alone, and composes itself from the settings. */
export type App<State> = {
  /** Lower-case letters, digits and hyphens, in names of settings, labels of metrics and rows of calls. */
  readonly name: string
  /** Where it listens unless a setting says otherwise. */
  readonly port: number
  readonly migrations: readonly Migration[]
  /** What the preparation is called in the progress of a start; null if it takes no time. */
  readonly preparation: string | null
  /** Starts what the service needs beside itself; it is closed with the process. */
  prepare(context: ProcessContext): Promise<PreparedApp<State>>
  /** Reads the files that settings name. @throws ConfigError for one that cannot be used */
  readFiles(config: Config): Promise<unknown>
  checks(config: Config): Promise<readonly Check[]>
  /** Lines on what is sold, and on how to enable the rest. @param services all that the process sells */
  describe(services: readonly Service[], config: Config): Promise<readonly Row[]>
  /** Deletes expired data. */
  sweep(state: State, logger: Logger): Sweep
  /** Sample data on the local chain. */
  seed?(state: State, config: Config): Promise<void>
  readonly mount?: Mount
}
