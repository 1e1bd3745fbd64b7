import type { RpcClient } from './json-rpc.ts'
import { saveState } from './state-file.ts'

/** A tick comes this long after a full second, so that anvil reads the new second. */
const AFTER_SECOND_MS = 2
/** A machine crash loses at most this much; a killed Tollbook loses nothing (the guard saves). */
const SAVE_EVERY_MS = 5_000
/** Saving blocks the chain for longer as it grows: it may take a thirtieth of the time. */
const SAVE_SHARE = 30

type Head = { readonly timestamp: string; readonly stateRoot: string }

/**
 * Makes block time follow the wall clock. anvil stamps an automined block with the current second, even if
 * the previous block has the same, so load causes no drift. Each second without a transaction gets an empty
 * block, so the head never grows old.
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
    // Empty blocks do not change the state: an idle chain is not saved repeatedly.
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
      // The next tick makes up for a failed one; if anvil is gone, the guard reports it.
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
