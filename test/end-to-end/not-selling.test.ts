import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, type TestContext, test } from 'node:test'
import type { Address } from '@tollbook/chain/hex'
import { type DevChain, startDevChain } from '@tollbook/devchain/dev-chain'
import { withoutSettings } from '@tollbook/testing/commands/running-command'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { readLinesOf } from './printed-lines.ts'

const PAYEE = '0x00000000000000000000000000000000000beef1'

let folder: string
let chain: DevChain
let environment: NodeJS.ProcessEnv
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tollbook-not-selling-'))
  chain = await startDevChain({ port: 0 })
  environment = {
    ...withoutSettings(),
    TOLLBOOK_CHAIN_RPC_URL: chain.rpcUrl,
    TOLLBOOK_UTILITY_PAY_TO: PAYEE,
    TOLLBOOK_UTILITY_BASE_URL: 'https://utility.example',
    TOLLBOOK_UTILITY_PORT: '0',
    TOLLBOOK_FACILITATOR_BASE_URL: 'https://facilitator.example',
    TOLLBOOK_FACILITATOR_PORT: '0',
  }
})
after(async () => {
  await chain?.close()
  rmSync(folder, { recursive: true, force: true })
})

for (const service of ['utility', 'facilitator'])
  test(`serve ${service} whose wallet has no ETH names the wallet in its table, and is ready once ETH arrives`, async (t) => {
    const key = generatePrivateKey()
    const wallet = privateKeyToAddress(key).toLowerCase() as Address
    const lines = run(t, service, { TOLLBOOK_FACILITATOR_KEY: key })
    const row = await lines.find(new RegExp(`^${service} `))
    const does = service === 'facilitator' ? 'SETTLING' : 'SELLING'
    const why = `wallet ${wallet} has gas for 0 settlements, 20 are needed: send at least 0\\.\\d+ ETH to it on Base`
    assert.match(row, new RegExp(`^${service} +https://${service}\\.example  NOT ${does}: ${why}$`))
    await lines.find(/^chain /)
    assert.deepEqual(lines.isReady(), false)
    await chain.fundGas(wallet)
    await lines.find(/^ready$/)
  })

test('a service whose remote facilitator does not answer is ready once it does', async (t) => {
  const facilitator = createServer((_, response) => response.end(SUPPORTED))
  facilitator.listen(0, '127.0.0.1')
  await once(facilitator, 'listening')
  t.after(() => facilitator.close())
  const { port } = facilitator.address() as AddressInfo
  facilitator.close()
  const url = `http://127.0.0.1:${port}`
  const lines = run(t, 'utility', { TOLLBOOK_FACILITATOR_URL: url })
  const row = await lines.find(/^utility /)
  const why = `the facilitator at ${url} does not answer: check that it runs, and TOLLBOOK_FACILITATOR_URL`
  assert.ok(row.endsWith(`  NOT SELLING: ${why}`), row)
  await lines.find(/^chain /)
  assert.equal(lines.isReady(), false)
  facilitator.listen(port, '127.0.0.1')
  await lines.find(/^ready$/)
})

const SUPPORTED = JSON.stringify({
  kinds: [{ x402Version: 2, scheme: 'exact', network: 'eip155:8453' }],
  extensions: [],
  signers: {},
})

/** Runs `serve` with these settings. */
function run(t: TestContext, service: string, settings: NodeJS.ProcessEnv) {
  const dataDir = join(folder, `${service}-${Object.keys(settings)}`)
  return readLinesOf(t, ['serve', service], { ...environment, TOLLBOOK_DATA_DIR: dataDir, ...settings })
}
