import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Address } from '@tollbook/chain/hex'
import type { GateLimits } from '@tollbook/gate/gate/gate-options'

export type GateSetting = {
  readonly framework: string
  readonly payTo: Address
  readonly rpcUrl: string
  readonly facilitator: string
  /** The same at each start, as a server has one name. */
  readonly baseUrl: string
  readonly store: string
  readonly limits: Partial<GateLimits>
  /** A line for each run of a handler: the id of its payment. */
  readonly runsFile: string
  /** How long a handler takes at most. */
  readonly maxWorkMs: number
}

export type GateProcess = {
  readonly url: string
  /** SIGKILL; resolves when it has ended. */
  kill(): Promise<void>
}

/** Starts a server with a gate. @throws Error with what it said, if it ends before it sells */
export async function startGate(setting: GateSetting, compileCache: string): Promise<GateProcess> {
  const child = fork(join(import.meta.dirname, 'gate-process.ts'), [JSON.stringify(setting)], {
    execArgv: [],
    env: { PATH: process.env.PATH, TMPDIR: process.env.TMPDIR, NODE_COMPILE_CACHE: compileCache },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  let complaints = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    complaints = `${complaints}${chunk}`.slice(-4_000)
  })
  const gone = once(child, 'exit')
  const first = await Promise.race([once(child, 'message'), gone.then(() => null)])
  if (!first) throw new Error(`the server ended before it sold:\n${complaints}`)
  const [{ url }] = first as [{ url: string }]
  return {
    url,
    async kill() {
      child.kill('SIGKILL')
      await gone
    },
  }
}
