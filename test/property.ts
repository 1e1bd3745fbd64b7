import fc from 'fast-check'

/** Far below what a test may take (`npm test`). */
const MAX_MS = 60_000

/**
 * Every run of the suite draws the same cases, so that a red run tells of a change and can be run again.
 * `TOLLBOOK_TEST_SEED=random` draws new ones (`npm run explore`), a number those of an earlier run.
 */
const seed = process.env.TOLLBOOK_TEST_SEED ?? '20261121'
fc.configureGlobal({
  ...(seed !== 'random' && { seed: Number(seed) }),
  // Far beyond what any property takes: on a slow machine a failure is told before it has shrunk for minutes.
  interruptAfterTimeLimit: MAX_MS,
  markInterruptAsFailure: false,
})

export { fc }
