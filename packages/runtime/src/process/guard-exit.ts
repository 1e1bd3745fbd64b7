import { AsyncLocalStorage } from 'node:async_hooks'

/** Makes a function unable to end the process, itself and in what it waits for. */
export type ExitGuard = <Arguments extends readonly unknown[], Result>(
  work: (...values: Arguments) => Result,
) => (...values: Arguments) => Result

/**
 * Replaces `process.exit` and `process.abort` by functions that throw where a guarded function calls them: one call
 * must not end the calls of all others. It guards against mistakes, such as a library for command lines; the code is
 * trusted.
 */
export function createExitGuard(): ExitGuard {
  const guarded = new AsyncLocalStorage<true>()
  const refuse = (name: string) => {
    if (guarded.getStore()) throw new Error(`a handler must not end the process (process.${name})`)
  }
  const { exit, abort } = process
  process.exit = (code) => {
    refuse('exit')
    return exit.call(process, code)
  }
  process.abort = () => {
    refuse('abort')
    return abort.call(process)
  }
  return (work) =>
    (...values) =>
      guarded.run(true, () => work(...values))
}
