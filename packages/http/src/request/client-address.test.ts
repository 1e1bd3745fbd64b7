import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClientAddressReader, groupAddress } from './client-address.ts'

test('without trusted proxies the header is ignored', () => {
  const read = createClientAddressReader([])
  assert.equal(
    read('192.0.2.1', () => '203.0.113.9'),
    '192.0.2.1',
  )
  assert.equal(
    read('::ffff:192.0.2.1', () => null),
    '192.0.2.1',
  )
  assert.equal(
    read(undefined, () => '203.0.113.9'),
    'unknown',
  )
})

test('the header is read from the right, as far as proxies are trusted', () => {
  const read = createClientAddressReader(['10.0.0.0/8', '192.0.2.7', 'fd00::/8'])
  const cases: [string, string | null, string][] = [
    ['10.0.0.1', '203.0.113.9', '203.0.113.9'],
    ['10.0.0.1', '198.51.100.1, 203.0.113.9', '203.0.113.9'],
    ['10.0.0.1', '203.0.113.9, 10.1.1.1, 192.0.2.7', '203.0.113.9'],
    ['fd00::1', '2001:db8::5', '2001:db8::5'],
    ['10.0.0.1', '203.0.113.9:4711', '203.0.113.9'],
    ['10.0.0.1', '[2001:db8::5]:443', '2001:db8::5'],
    // From an untrusted sender the header proves nothing.
    ['192.0.2.8', '203.0.113.9', '192.0.2.8'],
    // An entry that is not an address ends the chain at the last valid hop.
    ['10.0.0.1', '203.0.113.9, evil', '10.0.0.1'],
    ['10.0.0.1', null, '10.0.0.1'],
    ['10.0.0.1', '10.0.0.2', '10.0.0.2'],
  ]
  for (const [socket, header, expected] of cases)
    assert.equal(
      read(socket, () => header),
      expected,
      `${socket} ${header}`,
    )
})

test('an entry that is not an address or block prevents the start', () => {
  for (const entry of ['proxy.example', '10.0.0.0/33', '10.0.0.0/x', 'fd00::/129', '']) {
    assert.throws(() => createClientAddressReader([entry]), /not an address or CIDR block/)
  }
})

test('an IPv6 address is grouped by its /64', () => {
  assert.equal(groupAddress('2001:db8::1'), '2001:db8:0:0')
  assert.equal(groupAddress('2001:0db8:0000:0000:1:2:3:4'), '2001:db8:0:0')
  assert.equal(groupAddress('::1'), '0:0:0:0')
  assert.equal(groupAddress('192.0.2.1'), '192.0.2.1')
})
