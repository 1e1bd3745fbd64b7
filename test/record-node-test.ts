import * as real from 'node:test'
import { getCallSites } from 'node:util'
import { compileFunction } from 'node:vm'

let recorded: (() => void)[] | null = null

/** Runs `load` and returns what it declared in this module's name: tests and hooks, to be declared later. */
export async function recordTests(load: () => Promise<unknown>): Promise<readonly (() => void)[]> {
  const declarations: (() => void)[] = []
  recorded = declarations
  try {
    await load()
  } finally {
    recorded = null
  }
  return declarations
}

// What the test files of a shared process get as `node:test`.
export const test = wrap(real.test)
export const suite = wrap(real.suite)
export const before = wrap(real.before)
export const after = wrap(real.after)
export const beforeEach = wrap(real.beforeEach)
export const afterEach = wrap(real.afterEach)
export const { mock } = real

function wrap<Args extends readonly unknown[]>(declare: (...args: Args) => unknown) {
  return (...args: Args): unknown => {
    const [, caller] = getCallSites(2)
    if (!caller) return declare(...args)
    // The reporter names the place of the call: it has to be that of the test.
    const call = compileFunction('return declare(...args)', ['declare', 'args'], {
      filename: caller.scriptName,
      lineOffset: caller.lineNumber - 1,
      columnOffset: caller.columnNumber - 1,
    })
    return recorded ? recorded.push(() => call(declare, args)) : call(declare, args)
  }
}
