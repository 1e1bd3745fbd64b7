import assert from 'node:assert/strict'
import { TEST_TIME } from '@tollbook/testing/catalogue/run-endpoint'
import { importPlace, withFile } from '@tollbook/testing/social/import-social'
import { socialPorts } from '@tollbook/testing/social/open-social'
import { onEveryState } from '@tollbook/testing/state/every-state'
import type { State } from '../../state/state.ts'
import { saveBundle } from './save-bundle.ts'

const OWNER = { id: '1', name: 'Owner', username: 'owner' }
const userOf = (id: string) => ({ id, name: `User ${id}`, username: `user_${id}` })
const followOf = (from: string) => ({ kind: 'follow', from, to: OWNER.id }) as const
/** Ids of one source, newest first. */
const idsOf = (source: number, count = 7) => Array.from({ length: count }, (_, at) => `${source}${100 + at}`)

/** The whole list of followers, page by page. */
async function listAll(state: State, limit = 3): Promise<readonly string[]> {
  const { followersOf } = socialPorts(state).provider.operations
  assert.ok(followersOf)
  const { signal } = new AbortController()
  const found: string[] = []
  let position: string | null = null
  do {
    const page: Awaited<ReturnType<typeof followersOf>> = await followersOf(
      OWNER.id,
      { limit, position },
      { signal },
    )
    assert.ok(page)
    found.push(...page.data.map(({ id }) => id))
    position = page.next
  } while (position !== null)
  return found
}

function save(state: State, ids: readonly string[], time = TEST_TIME): Promise<void> {
  return saveBundle(state, { users: ids.map(userOf), relations: ids.map(followOf) }, time)
}

onEveryState('relations stored in one millisecond are all listed, the last stored first', async (state) => {
  await saveBundle(state, { users: [OWNER] }, TEST_TIME)
  for (const source of [2, 3, 4]) await save(state, idsOf(source))
  assert.deepEqual(
    await listAll(state),
    [4, 3, 2].flatMap((source) => idsOf(source)),
  )
  // A repeated relation keeps its position, and a clock that was set back moves none.
  await save(state, [...idsOf(2), ...idsOf(5)], new Date(TEST_TIME.getTime() - 60_000))
  assert.deepEqual(
    await listAll(state),
    [5, 4, 3, 2].flatMap((source) => idsOf(source)),
  )
})

onEveryState('relations stored concurrently are all listed, each source in its own order', async (state) => {
  await saveBundle(state, { users: [OWNER] }, TEST_TIME)
  const sources = [2, 3, 4, 5, 6]
  await Promise.all(sources.map((source) => save(state, idsOf(source))))
  const found = await listAll(state)
  assert.equal(new Set(found).size, 35)
  for (const source of sources) {
    const start = found.indexOf(idsOf(source)[0] ?? '')
    assert.deepEqual(found.slice(start, start + 7), idsOf(source))
  }
})

onEveryState('files imported in one millisecond follow each other, the last first', async (state) => {
  const pageOf = (ids: readonly string[]) =>
    JSON.stringify({
      data: ids.map(userOf),
      __twarc: { url: `https://api.twitter.com/2/users/${OWNER.id}/followers` },
    })
  // More than one batch, so that later batches of a file come after its earlier ones.
  const many = idsOf(7, 1_500)
  await saveBundle(state, { users: [OWNER] }, TEST_TIME)
  for (const ids of [idsOf(2), many, idsOf(3)]) {
    const lines = [...ids.keys()].filter((at) => at % 100 === 0).map((at) => pageOf(ids.slice(at, at + 100)))
    await withFile(lines.join('\n'), (path) => importPlace(state, path, { now: () => TEST_TIME }))
  }
  await save(state, idsOf(4))
  assert.deepEqual(await listAll(state, 99), [...idsOf(4), ...idsOf(3), ...many, ...idsOf(2)])
})
