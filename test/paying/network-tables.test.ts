import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CONTRACTS } from '@tollbook/chain/contracts'
import { chainIdOf, findNetwork, NETWORKS } from '@tollbook/chain/network'
import * as sdk from '@x402/evm'
import { EVM_NETWORK_CHAIN_ID_MAP } from '@x402/evm/v1'
import { base, baseSepolia } from 'viem/chains'
import { getUsdcChainConfigForChain } from 'x402/shared/evm'
import { EvmNetworkToChainId } from 'x402/types'

/** The tables of the clients that pay here: a value that differs makes their signatures invalid. */
test('the built-in networks are those of @x402/evm, x402 and viem', () => {
  assert.deepEqual(
    NETWORKS.map(({ nameV1 }) => nameV1),
    ['base', 'base-sepolia'],
  )
  for (const network of NETWORKS) {
    const { chainId, id, nameV1, usdc, usdcName, usdcVersion, decimals } = network
    const asset = sdk.DEFAULT_ASSETS[id]?.find((each) => each.symbol === 'USDC')
    assert.deepEqual(asset, { asset: usdc, name: usdcName, version: usdcVersion, decimals, symbol: 'USDC' })
    assert.equal(EVM_NETWORK_CHAIN_ID_MAP[nameV1 as 'base'], chainId)
    assert.equal(EvmNetworkToChainId.get(nameV1 as 'base'), chainId)
    assert.deepEqual(getUsdcChainConfigForChain(chainId), { usdcAddress: usdc, usdcName })

    const chain = [base, baseSepolia].find((each) => each.id === chainId)
    assert.ok(chain)
    assert.equal(chain.name, network.title)
    assert.equal(chain.blockExplorers?.default.url, network.explorerUrl)
    assert.equal('testnet' in chain && chain.testnet, network.isTest)
    assert.equal(chain.contracts.multicall3.address.toLowerCase(), CONTRACTS.multicall3.toLowerCase())
    assert.equal(network.weekBlocks * network.blockSeconds, 7 * 86_400)
    assert.equal(chainIdOf(id), chainId)
    assert.equal(findNetwork(id), network)
    assert.equal(findNetwork(nameV1), network)
  }
  assert.equal(findNetwork('eip155:1'), undefined)
})

test('the contracts of x402 are where its SDK sends payments', () => {
  assert.equal(CONTRACTS.permit2, sdk.PERMIT2_ADDRESS)
  assert.equal(CONTRACTS.exactPermit2Proxy, sdk.x402ExactPermit2ProxyAddress)
  assert.equal(CONTRACTS.uptoPermit2Proxy, sdk.x402UptoPermit2ProxyAddress)
  assert.equal(CONTRACTS.channelEscrow, sdk.BATCH_SETTLEMENT_ADDRESS)
  assert.equal(CONTRACTS.channelCollectors[0], sdk.ERC3009_DEPOSIT_COLLECTOR_ADDRESS)
})
