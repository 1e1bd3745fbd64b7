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

/** Keeps its thread without work for it. */
export function rest({ ms }: { readonly ms: number }): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

let isCalled = false

/** Leaves a timer behind for the thread. */
export function callLater(_: Readonly<Record<string, never>>): void {
  isCalled = false
  setTimeout(() => {
    isCalled = true
  }, 1)
}

export function wasCalled(_: Readonly<Record<string, never>>): boolean {
  return isCalled
}
