import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import type { Logger } from 'pino'
import { EX_SOFTWARE } from './run-process.ts'

/** The first restart waits this long, and each further one twice as long, until the process has run for a while. */
const FIRST_WAIT_MS = 500
const MAX_WAIT_MS = 30_000
const STEADY_MS = 60_000
/** Chosen: two minutes of waits. What ends this often in a row needs a person. */
const MAX_ENDS = 10
/** SIGTERM waits up to 30 seconds for open calls; then the process closes what it has open. */
const MAX_STOP_MS = 40_000

export type SupervisedOptions = {
  /** For the log and messages. */
  readonly name: string
  readonly logger: Logger
  readonly start: () => ChildProcess
  /** Awaited before each start. */
  readonly ready?: () => Promise<unknown>
  /** Makes the process end in order. */
  readonly stop: (child: ChildProcess) => void
  readonly onMessage: (message: unknown) => void
  /** Called each time it ends. */
  readonly onEnd?: () => void
  /** Called when it is not started again, with the exit code for all, and why unless it said so itself. */
  readonly onGivenUp: (code: number, reason: string | null) => void
  /** Shorter in tests. */
  readonly firstWaitMs?: number
  readonly maxStopMs?: number
}

/** A process that is started again when it ends. */
export class SupervisedProcess {
  readonly #options: SupervisedOptions
  #child: ChildProcess | null = null
  #startedMs = 0
  #endsInARow = 0
  #wasUp = false
  #isStopping = false
  #restart: NodeJS.Timeout | undefined

  constructor(options: SupervisedOptions) {
    this.#options = options
  }

  async start(): Promise<void> {
    await this.#options.ready?.()
    if (this.#isStopping) return
    const child = this.#options.start()
    this.#child = child
    this.#startedMs = performance.now()
    child.on('message', (message) => this.#options.onMessage(message))
    child.once('exit', (code, signal) => this.#ended(code, signal))
    // Its channel breaks when it ends. One that cannot be started has no exit.
    child.on('error', () => {
      if (child.pid === undefined) this.#ended(null, null)
    })
  }

  /** Its first start has succeeded: from now on it is started again. */
  noteUp(): void {
    this.#wasUp = true
  }

  send(message: object): void {
    if (this.#child?.connected) this.#child.send(message, () => {})
  }

  /** Kills a process that can no longer end by itself; it is started again. */
  kill(reason: string): void {
    if (this.#isStopping || !this.#child) return
    this.#options.logger.error({ process: this.#options.name, reason }, 'a process is killed')
    this.#child.kill('SIGKILL')
  }

  /** Ends the process in order, and kills it if that takes too long. */
  async stop(): Promise<void> {
    this.#isStopping = true
    clearTimeout(this.#restart)
    const child = this.#child
    if (!child) return
    const exit = once(child, 'exit')
    this.#options.stop(child)
    const kill = setTimeout(() => {
      this.#options.logger.error({ process: this.#options.name }, 'a process does not stop, and is killed')
      child.kill('SIGKILL')
    }, this.#options.maxStopMs ?? MAX_STOP_MS)
    await exit
    clearTimeout(kill)
  }

  #ended(code: number | null, signal: NodeJS.Signals | null): void {
    const { name, logger, onEnd, onGivenUp, firstWaitMs = FIRST_WAIT_MS } = this.#options
    this.#child = null
    if (this.#isStopping) return
    onEnd?.()
    // What keeps a first process from starting, such as a wrong setting, keeps further ones, too.
    if (!this.#wasUp) {
      onGivenUp(code || EX_SOFTWARE, signal && `the process for ${name} was ended by ${signal}`)
      return
    }
    const isSteady = performance.now() - this.#startedMs > STEADY_MS
    this.#endsInARow = isSteady ? 1 : this.#endsInARow + 1
    const how = signal ?? `exit code ${code}`
    if (this.#endsInARow >= MAX_ENDS) {
      const reason = `the process for ${name} ended ${MAX_ENDS} times in a row, most recently with ${how}`
      logger.fatal({ process: name, how }, 'a process ended too often, and all are stopped')
      onGivenUp(EX_SOFTWARE, `${reason}; its last line of level fatal or error in the log has the cause`)
      return
    }
    const waitMs = Math.min(firstWaitMs * 2 ** (this.#endsInARow - 1), MAX_WAIT_MS)
    logger.error({ process: name, how, wait_ms: waitMs }, 'a process ended and is started again')
    this.#restart = setTimeout(() => void this.start(), waitMs)
  }
}
