import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isPublicAddress } from './public-address.ts'

const PUBLIC = [
  '8.8.8.8',
  '1.1.1.1',
  '93.184.216.34',
  '223.255.255.254',
  '2606:4700::6810:84e5',
  '2a00:1450:4001::64',
]

// One or more of each block of the IANA special-purpose registries, its last address if the prefix is odd.
const SPECIAL = [
  '0.0.0.0',
  '0.255.255.255',
  '10.0.0.1',
  '100.64.0.1',
  '100.127.255.255',
  '127.0.0.1',
  '127.255.255.255',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.8',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.255.255',
  '198.18.0.1',
  '198.19.255.255',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:127.0.0.1',
  '::ffff:8.8.8.8',
  '::127.0.0.1',
  '64:ff9b::7f00:1',
  '64:ff9b:1::1',
  '100::1',
  '2001::1',
  '2001:db8::1',
  '2002:7f00:1::',
  '3fff::1',
  '5f00::1',
  'fc00::1',
  'fd00:ec2::254',
  'fe80::1',
  'fe80::1%lo',
  'ff02::1',
  '',
  'localhost',
  '127.1',
]

for (const address of PUBLIC) {
  test(`${address} is public`, () => assert.equal(isPublicAddress(address), true))
}

for (const address of SPECIAL) {
  test(`'${address}' is not public`, () => assert.equal(isPublicAddress(address), false))
}

test('the neighbours of a private block are public', () => {
  for (const address of ['172.15.255.255', '172.32.0.0', '100.63.255.255', '100.128.0.0', '11.0.0.0']) {
    assert.equal(isPublicAddress(address), true, address)
  }
})
