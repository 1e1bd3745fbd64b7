import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseRobots } from './robots.ts'

// Expected values from RFC 9309, sections 2.2 and 5.
const isAllowed = (text: string, path: string) => parseRobots(text, 'tollbook').isAllowed(path)

test('nothing is forbidden where nothing is said', () => {
  for (const text of ['', '<html>not found</html>', 'User-agent: *', 'User-agent: *\nDisallow:']) {
    assert.equal(isAllowed(text, '/openapi.json'), true, text)
  }
})

test('a group that names the crawler stands in the place of the one for all', () => {
  const text = 'User-agent: *\nDisallow: /\n\nUser-Agent: TollBook # ours\nDisallow: /private\n'
  assert.equal(isAllowed(text, '/openapi.json'), true)
  assert.equal(isAllowed(text, '/private/x'), false)
  assert.equal(parseRobots(text, 'other').isAllowed('/openapi.json'), false)
})

test('several names share the rules below them, and several groups of one name add up', () => {
  const text = 'User-agent: a\nUser-agent: tollbook\nDisallow: /a\n\nUser-agent: tollbook\nDisallow: /b'
  assert.deepEqual(
    ['/a', '/b', '/c'].map((path) => isAllowed(text, path)),
    [false, false, true],
  )
})

test('the longest rule decides, and of two as long the allowing one', () => {
  const text = 'User-agent: *\nDisallow: /api\nAllow: /api/public\nDisallow: /same\nAllow: /same'
  assert.deepEqual(
    ['/api/x', '/api/public/x', '/same'].map((path) => isAllowed(text, path)),
    [false, true, true],
  )
})

for (const [rule, path, matches] of [
  ['/*.json', '/openapi.json', true],
  ['/*.json$', '/openapi.json', true],
  ['/*.json$', '/openapi.json?x', false],
  ['/a$', '/a', true],
  ['/a$', '/ab', false],
  ['/a*b*c', '/a--b--c--', true],
  ['/a*b*c', '/a--c--b', false],
  ['*', '/anything', true],
  ['/*?*key=', '/x?a=1&key=2', true],
] as const) {
  test(`the rule ${rule} ${matches ? 'matches' : 'does not match'} ${path}`, () => {
    assert.equal(isAllowed(`User-agent: *\nDisallow: ${rule}`, path), !matches)
  })
}

test('a hostile rule of many stars costs no time', () => {
  const before = process.cpuUsage()
  isAllowed(`User-agent: *\nDisallow: /${'*a'.repeat(5000)}$`, `/${'a'.repeat(2000)}b`)
  // Linear work takes a few milliseconds of processor time; what tries each way to match takes minutes.
  assert.ok(process.cpuUsage(before).user < 2_000_000)
})
