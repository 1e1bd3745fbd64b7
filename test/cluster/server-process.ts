import { appendFileSync } from 'node:fs'
import { type BoundProgram, spawnWithLifeline } from '@tollbook/testing/commands/spawn-with-lifeline'

/** A server that may be killed and started again. */
export type ServerProcess = {
  readonly isUp: boolean
  /** Starts it, unless it is up, and waits until it says that it is ready. */
  start(): Promise<void>
  /** SIGKILL; resolves once it has ended. */
  kill(): Promise<void>
}

export type ServerProgram = {
  readonly words: () => readonly [string, ...string[]]
  readonly environment: NodeJS.ProcessEnv
  /** Of the error output once it is ready. */
  readonly ready: RegExp
  /** File that receives the error output. */
  readonly log: string
}

const MAX_LOG = 20_000
/** What the dead one leaves, such as shared memory, is gone within seconds. */
const TRIES = 10
const PAUSE_MS = 500

export function createServerProcess({ words, environment, ready, log: file }: ServerProgram): ServerProcess {
  let child: BoundProgram | null = null
  const startOnce = () =>
    new Promise<void>((resolve, reject) => {
      let log = ''
      const started = spawnWithLifeline(words(), environment)
      child = started
      started.stdout.resume()
      started.stderr.on('data', (chunk: Buffer) => {
        log = `${log}${chunk}`.slice(-MAX_LOG)
        appendFileSync(file, chunk)
        if (ready.test(log)) resolve()
      })
      started.once('exit', () => {
        if (child === started) child = null
        reject(new Error(`${words().join(' ')} ended:\n${log.slice(-2_000)}`))
      })
    })
  return {
    get isUp() {
      return child !== null
    },
    async start() {
      for (let attempt = 1; child === null; attempt += 1) {
        try {
          await startOnce()
        } catch (error) {
          if (attempt === TRIES) throw error
          await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
        }
      }
    },
    kill: () =>
      new Promise((resolve) => {
        if (!child) return resolve()
        child.once('exit', () => resolve())
        child.kill('SIGKILL')
      }),
  }
}
