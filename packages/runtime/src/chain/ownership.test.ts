import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEV_CLIENT_KEYS, devPayTo, devPayToKeys } from '@tollbook/chain/dev-accounts'
import { buildWellKnown } from '@tollbook/endpoints/documents/discovery'
import { ConfigError } from '@tollbook/flow/config-error'
import { privateKeyToAccount } from 'viem/accounts'
import { loadConfig } from '../config.ts'
import { listPaidHosts, readOwnershipProofs } from './ownership.ts'

const ORIGIN = 'https://utility.example'
const settings = {
  TOLLBOOK_UTILITY_BASE_URL: `${ORIGIN}/`,
  TOLLBOOK_UTILITY_ALIASES: 'https://data.example /api/geo',
}
const utility = privateKeyToAccount(devPayToKeys.utility)
const sign = (message: string) => utility.signMessage({ message })
const read = async (...proofs: string[]) =>
  readOwnershipProofs(loadConfig({ ...settings, TOLLBOOK_OWNERSHIP_PROOFS: proofs.join(',') }))

test('each paid host is proved by its payee wallet, an additional host like the first', async () => {
  const hosts = await listPaidHosts(loadConfig(settings))
  assert.deepEqual(
    hosts.filter(({ service }) => service === 'utility').map(({ origin, payTo }) => [origin, payTo]),
    [
      [ORIGIN, devPayTo.utility.toLowerCase()],
      ['https://data.example', devPayTo.utility.toLowerCase()],
    ],
  )
  const own = await sign(ORIGIN)
  const alias = await sign('https://data.example')
  assert.deepEqual(
    await read(own, alias),
    new Map([
      [ORIGIN, [own]],
      ['https://data.example', [alias]],
    ]),
  )
  assert.deepEqual(await read(), new Map())
})

test('a signature of another wallet, or of another text, is refused with the wallet that made it', async () => {
  const other = privateKeyToAccount(DEV_CLIENT_KEYS[3])
  const foreign = await other.signMessage({ message: ORIGIN })
  const refuse = async (proof: string, issue: RegExp) =>
    assert.rejects(read(await sign(ORIGIN), proof), (error) => {
      assert.ok(error instanceof ConfigError)
      assert.equal(error.issues.length, 1)
      assert.match(error.issues[0] ?? '', issue)
      return true
    })
  const wallets = `${other.address.toLowerCase()}, not ${devPayTo.utility.toLowerCase()}`
  await refuse(foreign, new RegExp(`signature 2 .*of ${ORIGIN} it is by ${wallets}`))
  await refuse(await sign(`${ORIGIN}/`), /signature 2 is not by a payee wallet/)
  await refuse(`0x${'00'.repeat(65)}`, /it is by nobody/)
  await assert.rejects(read('0x12'), /TOLLBOOK_OWNERSHIP_PROOFS.*130 hex digits/s)
})

test('a service shows its proofs in the well-known document', () => {
  const profile = { ownershipProofs: ['0x12'] }
  const service = { name: 'utility', title: '', description: '', baseUrl: ORIGIN, endpoints: [], ports: {} }
  const document = buildWellKnown({ ...service, name: 'utility', profile })
  assert.deepEqual(document.ownershipProofs, ['0x12'])
})
