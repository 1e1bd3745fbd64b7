/** Jobs for the tests of the worker pool. */

export function double({ number }: { readonly number: number }): number {
  return 2 * number
}

export function fail({ message }: { readonly message: string }): never {
  throw new Error(message)
}

export function spin(_: Readonly<Record<string, never>>): never {
  for (;;);
}

export function hoard(_: Readonly<Record<string, never>>): number {
  const hoarded: number[][] = []
  for (;;) hoarded.push(Array.from({ length: 100_000 }, Math.random))
}

/** Asks for more than the heap in one allocation, where V8 cannot stop the job and ends its process. */
export function hoardAtOnce(_: Readonly<Record<string, never>>): number {
  return new Array(2 ** 26).fill(0).map((_zero, at) => ({ at })).length
}

export function exit({ code }: { readonly code: number }): never {
  process.exit(code)
}

export function crash({ signal }: { readonly signal: string }): void {
  process.kill(process.pid, signal)
}

/** Fails in a callback, where nothing awaits it. */
export function throwLater(_: Readonly<Record<string, never>>): Promise<never> {
  setImmediate(() => {
    throw new Error('nobody catches this')
  })
  return new Promise(() => {})
}

/** A result that cannot be copied. */
export function returnFunction(_: Readonly<Record<string, never>>): unknown {
  return () => {}
}

/** Keeps its process without work for it. */
export function rest({ ms }: { readonly ms: number }): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

export function readPid(_: Readonly<Record<string, never>>): number {
  return process.pid
}
