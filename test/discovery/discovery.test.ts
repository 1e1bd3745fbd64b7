import assert from 'node:assert/strict'
import { test } from 'node:test'
import { discoverOriginSchema } from '@agentcash/discovery'
import { DEV_CLIENT_KEYS, devPayTo, devPayToKeys } from '@tollbook/chain/dev-accounts'
import { ConfigError } from '@tollbook/flow/config-error'
import { devChainSetting } from '@tollbook/runtime/chain/chain-setting'
import { loadConfig } from '@tollbook/runtime/config'
import { openSelling } from '@tollbook/runtime/selling/selling'
import { startSeller } from '@tollbook/testing/paying/seller'
import { findFreePort } from '@tollbook/testing/servers/free-port'
import { servePages } from '@tollbook/testing/servers/serve-pages'
import { pino } from 'pino'
import { recoverMessageAddress } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { spell } from '../paying/metered-endpoint.ts'
import { findFindings } from './find-findings.ts'

test('the payee wallet owns the service in the eyes of x402scan; a proof of another wallet prevents the start', async (t) => {
  const port = await findFreePort()
  const origin = `http://127.0.0.1:${port}`
  const settingsOf = async (key: `0x${string}`) => ({
    TOLLBOOK_UTILITY_PORT: `${port}`,
    TOLLBOOK_OWNERSHIP_PROOFS: await privateKeyToAccount(key).signMessage({ message: origin }),
  })
  const seller = await startSeller({ endpoints: [spell], settings: await settingsOf(devPayToKeys.utility) })
  t.after(() => seller.close())
  const discovered = await discoverOriginSchema({ target: origin })
  assert.ok(discovered.found)
  assert.equal(discovered.trustTier, 'ownership_verified')
  const [proof] = discovered.ownershipProofs ?? []
  const signature = proof as `0x${string}`
  assert.equal(await recoverMessageAddress({ message: origin, signature }), devPayTo.utility)
  const wellKnown = await (await fetch(`${origin}/.well-known/x402`)).json()
  assert.deepEqual((wellKnown as { ownershipProofs: unknown }).ownershipProofs, [proof])

  const config = loadConfig(await settingsOf(DEV_CLIENT_KEYS[3]))
  const chain = devChainSetting(config, seller.chain.rpcUrl)
  const logger = pino({ level: 'silent' })
  await assert.rejects(openSelling({ config, chain, state: seller.state, logger }), (error) => {
    assert.ok(error instanceof ConfigError)
    assert.match(error.message, /TOLLBOOK_OWNERSHIP_PROOFS: signature 1 .* it is by 0x90f79bf6/)
    return true
  })
})

test('the check of a host reports what it lacks', async (t) => {
  const operation = { summary: 'Buy', 'x-payment-info': { price: { mode: 'fixed', amount: '0.01' } } }
  const info = { title: 'A shop', version: '1' }
  const document = { openapi: '3.1.0', info, paths: { '/buy': { get: operation } } }
  const served = await servePages({ '/openapi.json': JSON.stringify(document) })
  t.after(() => served.close())
  const codes = (await findFindings(served.url)).map(({ code }) => code)
  for (const code of ['OPENAPI_CONTACT_MISSING', 'FAVICON_MISSING', 'L2_PROTOCOLS_MISSING_ON_PAID'])
    assert.ok(codes.includes(code), `${code} is not in ${codes.join(', ')}`)
})
