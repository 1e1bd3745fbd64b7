import { createHook } from 'node:async_hooks'

type Timeout = { readonly _idleTimeout: number; readonly _destroyed: boolean }

/** The timers that were set since the watch began. */
export type TimerWatch = {
  /** How many timers were set with this delay, ms. */
  countSet(ms: number): number
  /** How many of them have neither fired nor been cleared. */
  countPending(ms: number): number
  stop(): void
}

/** Watches all timers of the process, also those that do not keep it alive. */
export function watchTimers(): TimerWatch {
  const timers: { readonly ms: number; readonly timer: Timeout }[] = []
  const hook = createHook({
    init(_id, type, _trigger, resource) {
      // The delay of a timer is -1 once it is cleared.
      if (type === 'Timeout')
        timers.push({ ms: (resource as Timeout)._idleTimeout, timer: resource as Timeout })
    },
  })
  hook.enable()
  const of = (ms: number) => timers.filter((each) => each.ms === ms)
  return {
    countSet: (ms) => of(ms).length,
    countPending: (ms) => of(ms).filter(({ timer }) => !timer._destroyed).length,
    stop: () => void hook.disable(),
  }
}
