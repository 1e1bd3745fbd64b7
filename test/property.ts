import fc from 'fast-check'

/**
 * Every run of the suite draws the same cases, so that a red run tells of a change and can be run again.
 * `TOLLBOOK_TEST_SEED=random` draws new ones (`npm run explore`), a number those of an earlier run.
 */
const asked = process.env.TOLLBOOK_TEST_SEED ?? '20261121'
if (asked !== 'random') fc.configureGlobal({ seed: Number(asked) })

export { fc }
