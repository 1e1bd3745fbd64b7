import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { DEV_CLIENT_KEYS, devFacilitatorAddress } from '@tollbook/chain/dev-accounts'
import { type DevChain, startDevChain } from '@tollbook/devchain/dev-chain'
import { loadConfig } from '@tollbook/runtime/config'
import { privateKeyToAddress } from 'viem/accounts'
import { checkFacilitator } from './facilitator.ts'

let chain: DevChain
before(async () => {
  chain = await startDevChain({ port: 0 })
})
after(() => chain.close())

/** What the check finds of a signer that has the keys of anvil's standard accounts. */
async function checkSigner(address: string, url = chain.rpcUrl) {
  const config = loadConfig({
    TOLLBOOK_DEVCHAIN_PORT: new URL(chain.rpcUrl).port,
    TOLLBOOK_FACILITATOR_KEY: address,
    TOLLBOOK_SIGNER_URL: url,
  })
  return (await checkFacilitator(config, ['utility'])).find(({ name }) => name === 'signer')
}

test('a signer is asked for the keys of the wallets that are given by address', async () => {
  const held = privateKeyToAddress(DEV_CLIENT_KEYS[9])
  assert.deepEqual(await checkSigner(held), {
    verdict: 'ok',
    name: 'signer',
    text: `it has the keys of ${held}`,
  })
  const text = `it has no key of ${devFacilitatorAddress}`
  assert.deepEqual(await checkSigner(devFacilitatorAddress), { verdict: 'failed', name: 'signer', text })
})

test('a signer that does not answer fails the check', async () => {
  assert.equal((await checkSigner(devFacilitatorAddress, 'http://127.0.0.1:1'))?.verdict, 'failed')
})

test('a settling wallet with code fails the check', async () => {
  await chain.rpc.call('anvil_setCode', [devFacilitatorAddress, `0xef0100${'01'.repeat(20)}`])
  const config = loadConfig({ TOLLBOOK_DEVCHAIN_PORT: new URL(chain.rpcUrl).port })
  const failed = (await checkFacilitator(config, ['utility'])).filter(({ verdict }) => verdict === 'failed')
  assert.match(failed.map(({ text }) => text).join(), /has code \(EIP-7702\)/)
})

test('a payee with code, and one that settles, are notes', async () => {
  const wallet = `0x${'5e'.repeat(20)}`
  await chain.rpc.call('anvil_setCode', [wallet, '0x00'])
  const config = loadConfig({
    TOLLBOOK_DEVCHAIN_PORT: new URL(chain.rpcUrl).port,
    TOLLBOOK_UTILITY_PAY_TO: wallet,
    TOLLBOOK_INFERENCE_PAY_TO: devFacilitatorAddress,
  })
  const findings = await checkFacilitator(config, ['social', 'utility', 'inference'])
  const notesOf = (service: string) =>
    findings.filter(({ verdict, name }) => verdict === 'note' && name === service).map(({ text }) => text)
  assert.deepEqual(notesOf('social'), [])
  assert.match(notesOf('utility').join('; '), /^0x5e\w+ is a contract; [^;]*$/)
  assert.match(notesOf('inference').join('; '), /also settles the payments/)
})

test('a key next to the URL of a facilitator is an error, not ignored', async () => {
  const config = loadConfig({
    TOLLBOOK_DEVCHAIN_PORT: new URL(chain.rpcUrl).port,
    TOLLBOOK_FACILITATOR_KEY: DEV_CLIENT_KEYS[9],
    TOLLBOOK_FACILITATOR_URL: 'http://127.0.0.1:1',
  })
  await assert.rejects(checkFacilitator(config, ['utility']), /TOLLBOOK_FACILITATOR_KEY: set together/)
})
