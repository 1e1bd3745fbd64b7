import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { GateLimits } from '@tollbook/gate/gate/gate-options'

/** Settings of a seller's process. */
export type SellerSetting = {
  readonly dataDir: string
  readonly stateUrl: string
  readonly rpcUrl: string
  readonly baseUrl: string
  readonly limits: Partial<GateLimits>
  readonly nonceLeaseMs: number
  /** Absent: the seller settles itself. */
  readonly facilitatorUrl?: string
}

export type ToSeller = 'open' | { readonly goOn: string }
export type FromSeller = 'loaded' | { readonly url: string } | { readonly ran: string }

/** A process that sells. */
export type Seller = {
  /** Resolves when it could be opened at once, or has ended. */
  readonly loaded: Promise<unknown>
  /** Starts selling and returns the address; rejects if the process ends before. */
  open(): Promise<string>
  /** Releases the handler of a call that asked to be held. */
  goOn(call: string): void
  /** Kills it as the kernel would (SIGKILL); resolves when it has ended. */
  kill(): Promise<void>
}

/** The end of a process's standard error. */
const MAX_COMPLAINTS = 8_000

/** In the data folder; all sellers of a shop write into it. */
export const SELLERS_LOG = 'sellers.log'

/**
 * Starts a process that loads and then waits to be opened.
 * @param compileCache folder in which processes of one run store their compiled modules for the next.
 */
export function startSeller(
  setting: SellerSetting,
  options: {
    readonly compileCache: string
    readonly onRun: (call: string) => void
    /** File name; default the process that sells. */
    readonly program?: string
  },
): Seller {
  const program = join(import.meta.dirname, options.program ?? 'seller-process.ts')
  const child = fork(program, [JSON.stringify(setting)], {
    execArgv: [],
    env: { PATH: process.env.PATH, TMPDIR: process.env.TMPDIR, NODE_COMPILE_CACHE: options.compileCache },
    stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
  })
  let complaints = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    complaints = `${complaints}${chunk}`.slice(-MAX_COMPLAINTS)
  })
  const gone = once(child, 'exit')
  const loaded = Promise.withResolvers<void>()
  const opened = Promise.withResolvers<string>()
  // A caller that kills a seller before it is open does not wait for it.
  opened.promise.catch(() => {})
  child.once('close', (code, signal) =>
    opened.reject(new Error(`the seller ended before it was open: ${code ?? signal}\n${complaints}`)),
  )
  child.on('message', (message: FromSeller) => {
    if (message === 'loaded') loaded.resolve()
    else if ('url' in message) opened.resolve(message.url)
    else options.onRun(message.ran)
  })
  const isLoaded = Promise.race([loaded.promise, gone])
  const say = (message: ToSeller) => {
    if (child.connected) child.send(message, () => {})
  }
  return {
    loaded: isLoaded,
    async open() {
      await isLoaded
      say('open')
      return opened.promise
    },
    goOn: (call) => say({ goOn: call }),
    async kill() {
      child.kill('SIGKILL')
      await gone
    },
  }
}
