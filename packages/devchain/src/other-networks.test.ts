import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { hashTokenDomain } from '@tollbook/chain/digests'
import { BASE, BASE_SEPOLIA, type Network } from '@tollbook/chain/network'
import { readNetworkFile } from '@tollbook/chain/read-network-file'
import { x402Client } from '@x402/core/client'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { keccak256, toBytes } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { type DevChain, startDevChain } from './dev-chain.ts'
import { startHostileFacilitator } from './hostile-facilitator.ts'

/** As long as a name may be, with letters of more than one byte. */
const OWN = readNetworkFile(
  JSON.stringify({
    name: 'own-chain',
    title: 'Own chain',
    chain_id: 31_337,
    is_test: true,
    token: { address: `0x${'ab'.repeat(20)}`, name: `${'₮'.repeat(10)}D`, version: '10', decimals: 6 },
    explorer_url: 'https://explorer.example',
    block_seconds: 1,
  }),
)

const SEPARATOR = keccak256(toBytes('DOMAIN_SEPARATOR()')).slice(0, 10)

async function requireDomain(
  { rpc, contracts, accounts, usdcOf }: DevChain,
  network: Network,
): Promise<void> {
  assert.equal(Number(await rpc.call('eth_chainId')), network.chainId)
  const { usdcName: name, usdcVersion: version, chainId, usdc: verifyingContract } = network
  assert.equal(contracts.usdc, verifyingContract)
  const own = await rpc.call('eth_call', [{ to: verifyingContract, data: SEPARATOR }, 'latest'])
  const domain = hashTokenDomain({ name, version, chainId, verifyingContract })
  assert.equal(own, `0x${Buffer.from(domain).toString('hex')}`, network.nameV1)
  assert.equal(await usdcOf(accounts[0].address), 1_000_000_000n)
}

test('a chain has the id, the token and the EIP-712 domain of its network', async () => {
  for (const network of [BASE, BASE_SEPOLIA, OWN]) {
    await using chain = await startDevChain({ network })
    await requireDomain(chain, network)
    if (network !== BASE) assert.equal(await chain.rpc.call('eth_getCode', [BASE.usdc, 'latest']), '0x')
  }
})

test('the SDK pays and settles on Base Sepolia', async () => {
  await using chain = await startDevChain({ network: BASE_SEPOLIA })
  await using facilitator = await startHostileFacilitator({ mode: 'honest', chain })
  const [payer, seller] = chain.accounts
  const price = {
    scheme: 'exact',
    network: BASE_SEPOLIA.id,
    asset: BASE_SEPOLIA.usdc,
    amount: '2500',
    payTo: seller.address,
    maxTimeoutSeconds: 60,
    extra: { name: BASE_SEPOLIA.usdcName, version: BASE_SEPOLIA.usdcVersion },
  }
  const paymentPayload = await new x402Client()
    .register(BASE_SEPOLIA.id, new ExactEvmScheme(privateKeyToAccount(payer.privateKey)))
    .createPaymentPayload({ x402Version: 2, resource: { url: 'https://shop.example/' }, accepts: [price] })
  const settled = await fetch(`${facilitator.url}/settle`, {
    method: 'POST',
    body: JSON.stringify({ x402Version: 2, paymentPayload, paymentRequirements: price }),
  })
  assert.deepEqual(await settled.json(), {
    success: true,
    transaction: facilitator.sent[0],
    network: 'eip155:84532',
    payer: payer.address,
  })
  assert.equal(await chain.usdcOf(seller.address), 1_000_002_500n)
})

test('two networks are stored side by side in one folder', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'networks-'))
  try {
    for (const network of [BASE, BASE_SEPOLIA]) {
      await using chain = await startDevChain({ network, dataDir })
      await chain.fundUsdc(chain.accounts[0].address, 1n)
    }
    assert.deepEqual(readdirSync(dataDir).sort(), ['dev-chain-base-sepolia.json.gz', 'dev-chain.json.gz'])
    await using again = await startDevChain({ network: BASE_SEPOLIA, dataDir })
    assert.equal(again.isNew, false)
    assert.equal(await again.usdcOf(again.accounts[0].address), 1_000_000_001n)
  } finally {
    rmSync(dataDir, { recursive: true })
  }
})
