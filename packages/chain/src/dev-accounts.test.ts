import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toHex } from 'viem'
import { mnemonicToAccount, privateKeyToAddress } from 'viem/accounts'
import * as accounts from './dev-accounts.ts'

const MNEMONIC = 'test test test test test test test test test test test junk'

test('the client keys are the first ten of the standard test mnemonic', () => {
  accounts.DEV_CLIENT_KEYS.forEach((key, addressIndex) => {
    const account = mnemonicToAccount(MNEMONIC, { addressIndex })
    assert.equal(key, toHex(account.getHdKey().privateKey ?? new Uint8Array()))
    assert.equal(accounts.DEV_CLIENT_ADDRESSES[addressIndex], account.address)
  })
})

test('every written address belongs to its key', () => {
  assert.equal(privateKeyToAddress(accounts.devFacilitatorKey), accounts.devFacilitatorAddress)
  assert.equal(privateKeyToAddress(accounts.devKey('minter')), accounts.devMinterAddress)
  for (const service of ['social', 'utility', 'inference'] as const)
    assert.equal(privateKeyToAddress(accounts.devPayToKeys[service]), accounts.devPayTo[service])
})

test('no service uses a key of the clients', () => {
  const own = [accounts.devFacilitatorKey, ...Object.values(accounts.devPayToKeys), accounts.devKey('minter')]
  const clients = new Set<string>(accounts.DEV_CLIENT_KEYS)
  assert.deepEqual(
    own.filter((key) => clients.has(key)),
    [],
  )
})
