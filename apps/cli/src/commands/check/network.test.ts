import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { CONTRACTS } from '@tollbook/chain/contracts'
import { BASE, BASE_SEPOLIA } from '@tollbook/chain/network'
import { type DevChain, startDevChain } from '@tollbook/devchain/dev-chain'
import type { Finding } from '@tollbook/runtime/check/finding'
import { loadConfig } from '@tollbook/runtime/config'
import { runCommand, withoutSettings } from '@tollbook/testing/commands/running-command'
import { temporaryFolder } from '@tollbook/testing/temporary-folder'
import { checkFacilitator } from './facilitator.ts'
import { listMoves } from './move-to-base.ts'
import { checkNetwork } from './network.ts'

const WALLET = `0x${'5e'.repeat(20)}`

let chain: DevChain
before(async () => {
  chain = await startDevChain({ network: BASE_SEPOLIA })
})
after(() => chain.close())

/** A remote node of Base Sepolia. */
const configFor = (settings: Record<string, string> = {}) =>
  loadConfig({
    TOLLBOOK_NETWORK: 'base-sepolia',
    TOLLBOOK_CHAIN_RPC_URL: chain.rpcUrl,
    TOLLBOOK_UTILITY_PAY_TO: WALLET,
    ...settings,
  })

const textsOf = (findings: readonly Finding[]) => findings.map(({ text }) => text)

test('the token of the network is verified on the chain', async () => {
  assert.deepEqual(await checkNetwork(configFor()), [
    {
      verdict: 'ok',
      name: 'network',
      text: `the token ${BASE_SEPOLIA.usdc} on Base Sepolia has the EIP-712 name USDC, version 2, and 6 decimals`,
    },
  ])
})

test('a token with another EIP-712 domain than the network file says fails the check', async () => {
  const file = join(temporaryFolder('network'), 'wrong.json')
  const { usdc: address } = BASE_SEPOLIA
  const network = {
    name: 'copied',
    title: 'Copied',
    chain_id: 31_338,
    is_test: true,
    token: { address, name: 'USD Coin', version: '2', decimals: 6 },
    explorer_url: 'https://explorer.example',
    block_seconds: 2,
  }
  writeFileSync(file, JSON.stringify(network))
  await using own = await startDevChain({ network: { ...BASE_SEPOLIA, chainId: 31_338 } })
  const [token] = await checkNetwork(
    loadConfig({ TOLLBOOK_NETWORK: file, TOLLBOOK_CHAIN_RPC_URL: own.rpcUrl }),
  )
  assert.deepEqual(token, {
    verdict: 'failed',
    name: 'network',
    text: `the token ${address} on Copied does not verify EIP-712 signatures of name USD Coin, version 2, chain 31338: its name() is "USDC", its version() "2"`,
  })
})

test('a contract that a chain lacks is a note with what cannot be used', async () => {
  await using bare = await startDevChain({ network: BASE_SEPOLIA })
  await bare.rpc.call('anvil_setCode', [CONTRACTS.uptoPermit2Proxy, '0x'])
  const [, ...missing] = await checkNetwork(configFor({ TOLLBOOK_CHAIN_RPC_URL: bare.rpcUrl }))
  assert.deepEqual(missing, [
    {
      verdict: 'note',
      name: 'network',
      text: `Base Sepolia lacks the upto proxy of x402 at ${CONTRACTS.uptoPermit2Proxy}: upto cannot be used`,
    },
  ])
})

/** Answers `/supported` with kinds of these networks. */
async function serveSupported(networks: readonly string[]) {
  const kinds = networks.map((network) => ({ x402Version: 2, scheme: 'exact', network }))
  const server = createServer((_, response) => response.end(JSON.stringify({ kinds }))).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return { host, url: `http://${host}`, [Symbol.dispose]: () => server.close() }
}

test('a facilitator that does not settle on the network fails the check', async () => {
  using other = await serveSupported([BASE.id])
  using every = await serveSupported(['eip155:*'])
  const read = async (url: string) => {
    const [found] = await checkFacilitator(configFor({ TOLLBOOK_FACILITATOR_URL: url }), ['utility'])
    return found
  }
  assert.deepEqual(await read(other.url), {
    verdict: 'failed',
    name: 'facilitator',
    text: `${other.host} answers /supported with status 200, settles nothing on Base Sepolia`,
  })
  assert.equal((await read(every.url))?.verdict, 'ok')
})

test('on a test network the check lists what changes on Base', async () => {
  using test = await serveSupported([BASE_SEPOLIA.id])
  using both = await serveSupported([BASE_SEPOLIA.id, BASE.id])
  const movesWith = async (url: string) =>
    textsOf(await listMoves(configFor({ TOLLBOOK_FACILITATOR_URL: url }), ['utility']))
  assert.deepEqual(await movesWith(test.url), [
    `TOLLBOOK_NETWORK: unset, or base; buyers then sign USD Coin ${BASE.usdc} instead of USDC ${BASE_SEPOLIA.usdc}`,
    'TOLLBOOK_CHAIN_RPC_URL: a node with chain id 8453 instead of 84532',
    `TOLLBOOK_UTILITY_PAY_TO: ${WALLET} gets real money; make sure that you hold its key on Base`,
    `TOLLBOOK_FACILITATOR_URL: ${test.host} does not settle on Base; set another facilitator, or a key`,
  ])
  assert.equal(
    (await movesWith(both.url)).at(-1),
    `TOLLBOOK_FACILITATOR_URL: ${both.host} settles exact on Base, too`,
  )
  const onBase = loadConfig({ TOLLBOOK_UTILITY_PAY_TO: WALLET })
  assert.deepEqual(await listMoves(onBase, ['utility']), [])
})

test('tollbook check --network takes the place of the setting', async () => {
  const run = (network: string) =>
    runCommand(['check', 'utility', '--network', network], {
      ...withoutSettings(),
      TOLLBOOK_NETWORK: 'base',
      TOLLBOOK_DEVCHAIN_PORT: new URL(chain.rpcUrl).port,
      TOLLBOOK_DATA_DIR: temporaryFolder('check'),
    })
  const sepolia = await run('base-sepolia')
  assert.match(sepolia.stdout, /^ok +chain +the local chain \(play money, not Base Sepolia\)/m)
  assert.match(sepolia.stdout, /^ok +network +the token 0x036CbD/m)
  const base = await run('base')
  assert.match(base.stdout, /TOLLBOOK_NETWORK: the local chain at \S+ has chain id 84532, Base has 8453/)
  const unknown = await run('sepolia')
  assert.match(
    unknown.stderr,
    /TOLLBOOK_NETWORK: must be base, base-sepolia or a network file that can be read \(ENOENT\)/,
  )
  assert.equal(unknown.code, 78)
})

test('commands that read payments refuse another network than Base', async () => {
  for (const command of [['report', WALLET], ['index'], ['serve', 'report']]) {
    const { stderr, code } = await runCommand(command, {
      ...withoutSettings(),
      TOLLBOOK_NETWORK: 'base-sepolia',
      TOLLBOOK_DEVCHAIN_PORT: new URL(chain.rpcUrl).port,
      TOLLBOOK_DATA_DIR: temporaryFolder('refused'),
    })
    assert.match(stderr, /TOLLBOOK_NETWORK: payments on base-sepolia are not reported/, command.join(' '))
    assert.equal(code, 78)
  }
})
