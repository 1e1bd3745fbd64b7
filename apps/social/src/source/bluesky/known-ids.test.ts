import assert from 'node:assert/strict'
import { onEveryState } from '@tollbook/testing/state/every-state'
import { createKnownIds, hashOf } from './known-ids.ts'

const post = (did: string) => `at://${did}/app.bsky.feed.post/3jzfcijpj2z2a`
const KEY = '1728652679052295174'

onEveryState('an id is permanent and the same for all processes on the store', async (state) => {
  const uris = ['did:plc:one', post('did:plc:one'), 'at://did:plc:one/app.bsky.graph.list/3k22222222222']
  const give = () => createKnownIds(state).give((idOf) => uris.map(idOf))
  const [first, ...others] = await Promise.all([give(), give(), give()])
  assert.deepEqual(first, [hashOf(uris[0] ?? ''), KEY, hashOf(uris[2] ?? '')])
  for (const other of others) assert.deepEqual(other, first)
  const known = createKnownIds(state)
  assert.equal(await known.findOne('tweet', KEY), uris[1])
  assert.equal(await known.findOne('list', KEY), null)
  assert.deepEqual([...(await known.find('tweet', []))], [])
})

onEveryState("a post with another post's key gets its own id, and the other keeps its id", async (state) => {
  const known = createKnownIds(state)
  const ids = [post('did:plc:one'), post('did:plc:two')]
  const [one] = await known.give((idOf) => [idOf(ids[0] ?? '')])
  const both = await known.give((idOf) => ids.map(idOf))
  assert.deepEqual(both, [one, hashOf(ids[1] ?? '')])
  assert.equal(await known.findOne('tweet', both[1] ?? ''), ids[1])
})

onEveryState('ids for a page of hundreds of names are assigned at once', async (state) => {
  const names = Array.from({ length: 450 }, (_, at) => `did:plc:${at}`)
  const ids = await createKnownIds(state).give((idOf) => names.map(idOf))
  assert.equal(new Set(ids).size, 450)
})
