import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * On whose behalf asynchronous work runs, without passing it through every function between a request and an
 * engine.
 */
const owners = new AsyncLocalStorage<string>()

/** Runs work, and everything that it awaits, on behalf of an owner, such as the payer of a call. */
export function runFor<Result>(owner: string, work: () => Result): Result {
  return owners.run(owner, work)
}

/** On whose behalf the current work runs; undefined for work of the process itself. */
export function currentOwner(): string | undefined {
  return owners.getStore()
}
