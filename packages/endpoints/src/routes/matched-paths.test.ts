import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getRow } from '@tollbook/testing/catalogue/row-endpoints'
import { MatchedPaths } from './matched-paths.ts'
import { groupByPath } from './path-routes.ts'

const [route] = groupByPath({ baseUrl: 'https://test.example', ports: {}, endpoints: [getRow] })
assert.ok(route)

test('any number of paths, and paths of any length, take bounded memory', () => {
  const paths = new MatchedPaths()
  const remember = (path: string) => paths.remember(path, { route, pathParameters: { row: path } })
  for (let row = 0; row < 10_001; row++) remember(`/api/rows/${row}`)
  assert.equal(paths.find('/api/rows/0'), undefined)
  assert.deepEqual(paths.find('/api/rows/1')?.pathParameters, { row: '/api/rows/1' })
  assert.ok(paths.find('/api/rows/10000'))
  const long = `/api/rows/${'x'.repeat(200)}`
  remember(long)
  assert.equal(paths.find(long), undefined)
  // The long one evicted none.
  assert.ok(paths.find('/api/rows/1'))
})
