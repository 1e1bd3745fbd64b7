import type { Worker } from 'node:cluster'
import cluster from 'node:cluster'
import type { Logger } from 'pino'
import { type Config, ConfigError, loadConfig } from '../../config.ts'
import { collectMetrics, joinMetrics } from '../../http/operations/metrics-of-processes.ts'
import { placeService, portSetting, type ServedName } from './addresses.ts'
import { type Announced, type Announcement, print } from './announce.ts'
import { openLog } from './open-log.ts'
import { runUntilStopped, type Shutdown } from './shutdown.ts'
import { stateUrlOf } from './state-url.ts'

/** The first restart of a process waits this long, and each further one twice as long, until it is ready again. */
const FIRST_WAIT_MS = 500
const MAX_WAIT_MS = 30_000

/**
 * Runs a service in the configured number of processes, to which the first passes connections in turns. A
 * process that ends is started again; a signal stops all. @throws ConfigError on SQLite, which has one
 * writer
 */
export async function serveInProcesses(
  service: ServedName,
  open: (config: Config, shutdown: Shutdown) => Promise<void>,
): Promise<number> {
  if (cluster.isWorker) {
    joinMetrics()
    // The channel to the first process would keep this one running.
    return runUntilStopped(open).finally(() => process.channel?.unref())
  }
  const config = loadConfig()
  if (config.TOLLBOOK_PROCESSES === 1) return runUntilStopped(open)
  if (!stateUrlOf(config).startsWith('postgres'))
    throw new ConfigError([
      'TOLLBOOK_PROCESSES above 1 needs TOLLBOOK_STATE_URL on PostgreSQL: SQLite has one writer',
    ])
  const { port } = await placeService(config, service)
  return new Supervisor(config, { [portSetting(service)]: `${port}` }).run()
}

/** The first process: starts the others, and starts them again. */
class Supervisor {
  readonly #config: Config
  readonly #logger: Logger
  readonly #environment: Readonly<Record<string, string>>
  readonly #names = new WeakMap<Worker, string>()
  readonly #started = new Set<string>()
  readonly #ready = new Set<string>()
  /** The end of each process that runs. */
  readonly #running = new Map<Worker, Promise<unknown>>()
  readonly #ended = Promise.withResolvers<number>()
  #isStopping = false
  #isAnnounced = false

  constructor(config: Config, environment: Readonly<Record<string, string>>) {
    this.#config = config
    this.#logger = openLog(config)
    this.#environment = environment
  }

  async run(): Promise<number> {
    collectMetrics((worker) => this.#names.get(worker) ?? '')
    const stop = () => this.#stop(0)
    process.once('SIGTERM', stop).once('SIGINT', stop)
    for (let at = 1; at <= this.#config.TOLLBOOK_PROCESSES; at += 1) this.#start(`${at}`, FIRST_WAIT_MS)
    const code = await this.#ended.promise
    await Promise.all([...this.#running.values()])
    return code
  }

  #start(name: string, waitMs: number): void {
    const worker = cluster.fork(this.#environment)
    this.#names.set(worker, name)
    const ended = Promise.withResolvers<void>()
    this.#running.set(worker, ended.promise)
    let nextWaitMs = waitMs
    worker.on('message', ({ announced, isReady }: Announcement) => {
      if (announced) {
        nextWaitMs = FIRST_WAIT_MS
        this.#announce(name, announced)
      } else if (isReady) this.#announceReady(name)
    })
    const end = (how: string | number) => {
      if (!this.#running.delete(worker)) return
      ended.resolve()
      if (this.#isStopping) return
      // What keeps a first process from starting, such as a wrong setting, keeps the others too.
      if (!this.#isAnnounced) this.#stop(Number(how) || 1)
      else this.#restart({ name, waitMs: nextWaitMs, how })
    }
    worker.once('exit', (code, signal) => end(signal ?? code))
    // One that cannot be started, for want of memory or of processes, has no exit.
    worker.on('error', (error) => {
      if (worker.process.pid === undefined) end(error.message)
    })
  }

  #announce(name: string, rows: Announced): void {
    this.#started.add(name)
    const { size } = this.#started
    if (this.#isAnnounced || size < this.#config.TOLLBOOK_PROCESSES) return
    this.#isAnnounced = true
    print({ announced: [...rows, ['processes', `${size} on one port`]] })
  }

  #announceReady(name: string): void {
    const before = this.#ready.size
    const { size } = this.#ready.add(name)
    if (size > before && size === this.#config.TOLLBOOK_PROCESSES) print({ isReady: true })
  }

  #restart({
    name,
    waitMs,
    how,
  }: {
    readonly name: string
    readonly waitMs: number
    readonly how: string | number
  }): void {
    this.#logger.error({ process: name, how, wait_ms: waitMs }, 'a process ended and is started again')
    setTimeout(() => {
      if (!this.#isStopping) this.#start(name, Math.min(2 * waitMs, MAX_WAIT_MS))
    }, waitMs)
  }

  #stop(code: number): void {
    this.#isStopping = true
    for (const worker of this.#running.keys()) endProcess(worker)
    this.#ended.resolve(code)
  }
}

/** As an operator would: it finishes its calls first. */
function endProcess(worker: Worker): void {
  worker.process.kill('SIGTERM')
}
