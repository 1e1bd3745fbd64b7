import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../../test/property.ts'
import { parseRobots } from './robots.ts'

const allows = (text: string, path: string) => parseRobots(text, 'Tollbook').allows(path)

test('the longest rule decides, and among equals the one that allows (RFC 9309, sections 2.2.2 and 5.2)', () => {
  const text =
    'User-Agent: *\nAllow: /example/page/\nDisallow: /example/page/disallowed.gif\nDisallow: /same\nAllow: /same'
  assert.equal(allows(text, '/example/page/a.html'), true)
  assert.equal(allows(text, '/example/page/disallowed.gif'), false)
  assert.equal(allows(text, '/same'), true)
  assert.equal(allows(text, '/else'), true)
})

test('the group of the agent counts alone, wherever it stands; several of them are one (section 2.2.1)', () => {
  const text = `User-agent: *
Disallow: /
# for us
user-AGENT: tollbook # any version
Disallow: /a
User-agent: Other
User-agent: Tollbook
disallow: /b`
  assert.deepEqual(
    ['/a', '/b', '/c', '/robots.txt'].map((path) => allows(text, path)),
    [false, false, true, true],
  )
  assert.equal(parseRobots(text, 'Third').allows('/c'), false)
})

test('stars, ends and escapes match as the table of section 2.2.2 and 2.2.3 says', () => {
  const rows: [rule: string, path: string, matches: boolean][] = [
    ['/path/file-with-a-%2A.html', '/path/file-with-a-%2A.html', true],
    ['/foo/bar?baz=https://foo.bar', '/foo/bar?baz=https://foo.bar', true],
    ['/foo/bar/ツ', '/foo/bar/%E3%83%84', true],
    ['/foo/bar/%E3%83%84', '/foo/bar/%e3%83%84', true],
    ['*.gif$', '/a/b.gif', true],
    ['*.gif$', '/a/b.gif?x', false],
    ['/a*b*c', '/a1b2c3', true],
    ['/a*b*c', '/a1c2b', false],
    ['/aa$', '/aa', true],
    ['/aa$', '/aab', false],
    ['/*a$', '/ba', true],
    ['/a*a$', '/a', false],
    ['/', '/anything', true],
    ['', '/anything', false],
  ]
  for (const [rule, path, matches] of rows)
    assert.equal(allows(`User-agent: *\nDisallow: ${rule}`, path), !matches, `${rule} on ${path}`)
})

test('a pause between requests is read; nonsense is not', () => {
  const delayOf = (value: string) =>
    parseRobots(`User-agent: *\nCrawl-delay: ${value}`, 'Tollbook').delaySeconds
  assert.deepEqual([delayOf('2.5'), delayOf('soon'), delayOf('-1')], [2.5, 0, 0])
})

test('without a rule everything is allowed, and any text is read', () => {
  for (const text of ['', 'Disallow: /', '<html>404</html>', 'User-agent: Other\nDisallow: /'])
    assert.equal(allows(text, '/a'), true, text)
  const line = fc.constantFrom(
    'User-agent: *',
    'Disallow: /*a$',
    'Allow:',
    'Disallow: %',
    'x',
    ':',
    '\ufeff',
    '*$',
  )
  fc.assert(
    fc.property(fc.array(line), fc.string(), (lines, path) => {
      assert.equal(typeof allows(lines.join('\n'), `/${path}`), 'boolean')
    }),
  )
})
