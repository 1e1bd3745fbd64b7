import type { RpcClient } from './json-rpc.ts'
import { saveState } from './state-file.ts'

/** A tick comes this long after a full second, so that anvil surely reads the new second. */
const AFTER_SECOND_MS = 2
/** A crash of the machine loses at most so much; a killed Tollbook loses nothing (the guard saves). */
const SAVE_EVERY_MS = 5_000
/** Saving grows with the chain and holds it up: it may take a thirtieth of the time. */
const SAVE_SHARE = 30

type Head = { readonly timestamp: string; readonly stateRoot: string }

/**
 * Lets block time follow the wall clock. anvil gives an automined block the second in which it is mined,
 * also when the block before has the same, so load causes no drift. Without transactions the head would
 * grow old: each second that has no block yet gets an empty one.
 */
export async function followWallClock(
  rpc: RpcClient,
  stateFile: string | null,
): Promise<{ stop(): Promise<void> }> {
  await rpc.call('evm_setTime', [Math.floor(Date.now() / 1000)])
  await rpc.call('evm_mine')
  let savedRoot = ''
  let nextSaveMs = 0
  let isStopped = false
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> = Promise.resolve()

  const tick = async () => {
    const head = await rpc.call<Head>('eth_getBlockByNumber', ['latest', false])
    if (Number(head.timestamp) < Math.floor(Date.now() / 1000)) await rpc.call('evm_mine')
    // Empty blocks leave the state as it was: an idle chain is not saved again and again.
    if (stateFile && head.stateRoot !== savedRoot && Date.now() >= nextSaveMs) {
      const startedMs = Date.now()
      await saveState(rpc, stateFile)
      savedRoot = head.stateRoot
      nextSaveMs = Date.now() + Math.max(SAVE_EVERY_MS, SAVE_SHARE * (Date.now() - startedMs))
    }
  }
  const schedule = () => {
    const untilNextSecondMs = 1000 - (Date.now() % 1000) + AFTER_SECOND_MS
    timer = setTimeout(() => {
      // A tick that fails is made up for by the next; when anvil is gone, the guard says so itself.
      running = tick().catch(() => {})
      void running.then(() => isStopped || schedule())
    }, untilNextSecondMs)
  }
  schedule()
  return {
    async stop() {
      isStopped = true
      clearTimeout(timer)
      await running
    },
  }
}
