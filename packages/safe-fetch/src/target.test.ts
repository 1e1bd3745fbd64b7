import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BlockedTarget } from '@tollbook/flow/failure'
import { parseTarget } from './target.ts'

const REFUSE = { allowPrivateNetwork: false }

// 127.0.0.1 as one number, in hexadecimal, in octal, shortened, and in the digits that IDNA maps to ASCII.
const LOOPBACK_SPELLINGS = [
  'http://127.0.0.1/',
  'http://2130706433/',
  'http://0x7f000001/',
  'http://0x7f.0.0.1/',
  'http://0177.0.0.1/',
  'http://017700000001/',
  'http://127.1/',
  'http://127.0.1/',
  'http://①②⑦.⓪.⓪.①/',
  'http://127。0。0。1/',
  'http://%31%32%37.0.0.1/',
  'http://[::1]/',
  'http://[::ffff:127.0.0.1]/',
  'http://[::ffff:7f00:1]/',
  'http://[0:0:0:0:0:ffff:7f00:0001]/',
  'http://0/',
  'http://[::]/',
]

for (const url of LOOPBACK_SPELLINGS) {
  test(`the loopback address written as ${url} is refused`, () => {
    assert.throws(() => parseTarget(url, REFUSE), BlockedTarget)
  })
}

const OTHER_REFUSALS = [
  'http://169.254.169.254/latest/meta-data/',
  'https://[fd00:ec2::254]/',
  'ftp://example.com/',
  'file:///etc/passwd',
  'gopher://example.com/',
  'data:text/plain,hello',
  'javascript:alert(1)',
  'https://user:secret@example.com/',
  'https://user@example.com/',
  'http://example.com:22/',
  'http://example.com:6379/',
  'http://example.com:0/',
  '//example.com/',
  'example.com',
  '',
  `https://example.com/${'a'.repeat(2048)}`,
]

for (const url of OTHER_REFUSALS) {
  test(`${url.slice(0, 60)} is refused`, () => {
    assert.throws(() => parseTarget(url, REFUSE), BlockedTarget)
  })
}

test('a public URL is read, without its fragment', () => {
  assert.equal(parseTarget('https://example.com:8443/a?b=c#d', REFUSE).href, 'https://example.com:8443/a?b=c')
})

test('a public literal is read', () => {
  assert.equal(parseTarget('http://8.8.8.8/', REFUSE).hostname, '8.8.8.8')
})

test('private literals and other ports are read if the private network is allowed', () => {
  assert.equal(parseTarget('http://127.0.0.1:4021/', { allowPrivateNetwork: true }).port, '4021')
})

test('credentials are refused even if the private network is allowed', () => {
  assert.throws(() => parseTarget('http://a:b@127.0.0.1/', { allowPrivateNetwork: true }), BlockedTarget)
})
