import type { ChildProcess } from 'node:child_process'
import type { Worker } from 'node:cluster'
import cluster from 'node:cluster'
import { ConfigError } from '@tollbook/flow/config-error'
import { collectMetrics, joinMetrics } from '@tollbook/http/operations/metrics-of-processes'
import { type Config, loadConfig } from '../config.ts'
import { placeService, portSetting } from '../places/addresses.ts'
import { stateUrlOf } from '../places/state-url.ts'
import { type Announcement, print } from './announce.ts'
import { openLog } from './open-log.ts'
import { runUntilStopped, type Shutdown } from './shutdown.ts'
import { SupervisedProcess } from './supervised-process.ts'

export type Served = {
  /** Their names, for their ports. */
  readonly services: readonly string[]
  readonly open: (config: Config, shutdown: Shutdown) => Promise<void>
  /** Adds the services that are known to the settings. */
  readonly complete: (config: Config) => Promise<Config>
}

/**
 * Runs services in the configured number of processes, to which the first passes connections in turns. A
 * process that ends is started again; a signal stops all. @throws ConfigError on SQLite, which has one
 * writer
 */
export async function serveInProcesses({ services, open, complete }: Served): Promise<number> {
  const openComplete = async (config: Config, shutdown: Shutdown) => open(await complete(config), shutdown)
  if (cluster.isWorker) {
    joinMetrics()
    // The channel to the first process would keep this one running.
    return runUntilStopped(openComplete).finally(() => process.channel?.unref())
  }
  const config = await complete(loadConfig())
  if (config.TOLLBOOK_PROCESSES === 1) return runUntilStopped(openComplete)
  if (!stateUrlOf(config).startsWith('postgres'))
    throw new ConfigError([
      'TOLLBOOK_PROCESSES above 1 needs TOLLBOOK_STATE_URL on PostgreSQL: SQLite has one writer',
    ])
  const ports = await Promise.all(
    services.map(async (name) => [portSetting(name), `${(await placeService(config, name)).port}`]),
  )
  return runUntilStopped(async (config, shutdown) => {
    const supervisor = new Supervisor(config, Object.fromEntries(ports), shutdown)
    shutdown.onClose(() => supervisor.stop())
    await supervisor.start()
  })
}

/** The first process: starts the others, and starts them again. */
class Supervisor {
  readonly #environment: Readonly<Record<string, string>>
  readonly #names = new WeakMap<Worker, string>()
  readonly #started = new Set<string>()
  readonly #ready = new Set<string>()
  readonly #processes: readonly SupervisedProcess[]
  #isAnnounced = false

  constructor(config: Config, environment: Readonly<Record<string, string>>, shutdown: Shutdown) {
    this.#environment = environment
    const logger = openLog(config)
    const names = Array.from({ length: config.TOLLBOOK_PROCESSES }, (_, at) => `${at + 1}`)
    this.#processes = names.map((name) => {
      return new SupervisedProcess({
        name,
        logger,
        start: () => this.#fork(name),
        // As an operator would: it finishes its calls first.
        stop: (child) => child.kill('SIGTERM'),
        onMessage: (message) => this.#note(name, message as Announcement),
        onGivenUp: (code, reason) => shutdown.stop(code, reason),
      })
    })
  }

  async start(): Promise<void> {
    collectMetrics((worker) => this.#names.get(worker) ?? '')
    await Promise.all(this.#processes.map((each) => each.start()))
  }

  async stop(): Promise<void> {
    await Promise.all(this.#processes.map((each) => each.stop()))
  }

  #fork(name: string): ChildProcess {
    const worker = cluster.fork(this.#environment)
    this.#names.set(worker, name)
    // The process is watched.
    worker.on('error', () => {})
    return worker.process
  }

  /** Once all of them have started, or are ready, for the first time, the service has, or is. */
  #note(name: string, { announced, isReady }: Announcement): void {
    const count = this.#processes.length
    if (announced && !this.#isAnnounced && this.#started.add(name).size === count) {
      this.#isAnnounced = true
      for (const each of this.#processes) each.noteUp()
      print({ announced: [...announced, ['processes', `${count} on one port`]] })
    }
    if (isReady && !this.#ready.has(name) && this.#ready.add(name).size === count) print({ isReady })
  }
}
