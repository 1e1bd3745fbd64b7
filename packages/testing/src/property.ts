import fc from 'fast-check'

/** Far below what a test may take (`npm test`). */
const MAX_MS = 60_000

/**
 * Every run of the suite draws the same cases, so that a failing run points to a change and can be repeated.
 * `TOLLBOOK_TEST_SEED=random` draws new ones (`npm run explore`), a number those of an earlier run.
 */
const seed = process.env.TOLLBOOK_TEST_SEED ?? '20261121'
/** Whether every variant is tested of which `npm test` tests a few, too. */
export const isExploring = seed === 'random'

/** Of a property whose runs are slow, `npm test` plays a third of the cases, the same each time. */
export const slowRuns = (all: number): number => (isExploring ? all : Math.ceil(all / 3))
fc.configureGlobal({
  ...(seed !== 'random' && { seed: Number(seed) }),
  // Far longer than any property takes: on a slow machine a failure is reported before it has shrunk for
  // minutes.
  interruptAfterTimeLimit: MAX_MS,
  markInterruptAsFailure: false,
})

export { fc }
