import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '@tollbook/testing/property'
import { parseRobots } from './parse-robots.ts'

const allows = (text: string, path: string) => parseRobots(text, 'Tollbook').allows(path)

test('the longest rule wins, and an allow rule wins a tie (RFC 9309, sections 2.2.2 and 5.2)', () => {
  const text =
    'User-Agent: *\nAllow: /example/page/\nDisallow: /example/page/disallowed.gif\nDisallow: /same\nAllow: /same'
  assert.equal(allows(text, '/example/page/a.html'), true)
  assert.equal(allows(text, '/example/page/disallowed.gif'), false)
  assert.equal(allows(text, '/same'), true)
  assert.equal(allows(text, '/else'), true)
})

test('only the groups of the agent apply, wherever they are; several groups are merged (section 2.2.1)', () => {
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

test('wildcards, end anchors and escapes match as in the tables of sections 2.2.2 and 2.2.3', () => {
  const rows: [rule: string, path: string, matches: boolean][] = [
    ['/path/file-with-a-%2A.html', '/path/file-with-a-%2A.html', true],
    ['/foo/bar?baz=https://foo.bar', '/foo/bar?baz=https://foo.bar', true],
    ['/foo/bar/ツ', '/foo/bar/%E3%83%84', true],
    ['/foo/bar/%E3%83%84', '/foo/bar/%e3%83%84', true],
    ['/foo/bar/%62%61%7A', '/foo/bar/baz', true],
    ['/foo/bar/baz', '/foo/bar/%62%61%7a', true],
    ['/a%2Fb', '/a/b', false],
    ['/a%3cd', '/a%3Cd', true],
    ['/a b', '/a%20b', true],
    ['/path/file-with-a-%2A.html', '/path/file-with-a-*.html', true],
    ['/path/foo-%24', '/path/foo-$', true],
    ['/a$b', '/a$b', true],
    ['*.gif$', '/a/b.gif', true],
    ['*.gif$', '/a/b.gif?x', false],
    ['/a*b*c', '/a1b2c3', true],
    ['/a*b*c', '/a1c2b', false],
    ['/aa$', '/aa', true],
    ['/aa$', '/aab', false],
    ['/*a$', '/ba', true],
    ['/a*a$', '/a', false],
    ['/*a*b$', '/ba-b', true],
    ['/*a*b$', '/ba-bc', false],
    ['*', '/anything', true],
    ['/*?*key=', '/x?a=1&key=2', true],
    ['/', '/anything', true],
    ['', '/anything', false],
  ]
  for (const [rule, path, matches] of rows)
    assert.equal(allows(`User-agent: *\nDisallow: ${rule}`, path), !matches, `${rule} on ${path}`)
})

test('a crawl delay is read and does not affect the rules of its group (section 2.2.4)', () => {
  const delayOf = (value: string) =>
    parseRobots(`User-agent: *\nCrawl-delay: ${value}`, 'Tollbook').crawlDelaySeconds
  assert.deepEqual(['2.5', 'soon', '-1', '1\nCrawl-delay: 3'].map(delayOf), [2.5, 0, 0, 3])
  for (const record of ['Crawl-delay: 2', 'Sitemap: https://a.example/s.xml']) {
    assert.equal(allows(`User-agent: Tollbook\n${record}\nDisallow: /x`, '/x'), false, record)
    assert.equal(allows(`User-agent: Tollbook\n${record}\nUser-agent: b\nDisallow: /x`, '/x'), false, record)
  }
})

test('an agent is matched by its product token; a version after it is ignored (section 2.2.1)', () => {
  const isNamed = (value: string) => !allows(`User-agent: ${value}\nDisallow: /x`, '/x')
  assert.deepEqual(['Tollbook/0.1', 'TOLLBOOK 0.1', '* # all', 'Tollbooks', 'My-Tollbook', ''].map(isNamed), [
    true,
    true,
    true,
    false,
    false,
    false,
  ])
})

test('the number of rules is not limited', () => {
  const rules = Array.from({ length: 20_000 }, (_, at) => `Disallow: /${at}/`)
  assert.equal(allows(`User-agent: *\n${rules.join('\n')}`, '/19999/a'), false)
})

/** 500 KiB of one construct; linear work takes milliseconds of processor time, quadratic work minutes. */
for (const [kind, text] of [
  ['stars in one rule', `Disallow: /${'*a'.repeat(250_000)}$`],
  ['blanks within one rule', `Disallow: a${' '.repeat(500_000)}b`],
  ['rules', 'Disallow: /*a*a\n'.repeat(31_250)],
] as const) {
  test(`500 KiB of ${kind} are parsed and matched in linear time`, () => {
    const before = process.cpuUsage()
    allows(`User-agent: *\n${text}`, `/${'a'.repeat(2000)}b`)
    assert.ok(process.cpuUsage(before).user < 10_000_000)
  })
}

test('without rules everything is allowed, and any text parses', () => {
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
