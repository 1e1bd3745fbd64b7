import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TOPIC } from '@tollbook/chain/topics'
import * as testAbis from '@tollbook/testing/chain/dev-abis'
import { readSdkChannels } from '@tollbook/testing/paying/sdk-channels'
import { type Abi, toEventSelector, toFunctionSelector } from 'viem'
import { hashSources } from '../../../../tools/contracts/sources.ts'
import * as abis from './abis.ts'
import runtimeCode from './runtime-code.json' with { type: 'json' }

const ABI_OF = {
  DevUsdc: abis.devUsdcAbi,
  DevPermit2: testAbis.devPermit2Abi,
  DevExactProxy: abis.devExactProxyAbi,
  DevUptoProxy: abis.devUptoProxyAbi,
  DevMulticall3: abis.devMulticall3Abi,
  DevWalletFactory: testAbis.devWalletFactoryAbi,
  DevChannelEscrow: testAbis.devChannelEscrowAbi,
  DevCaptureEscrow: testAbis.devCaptureEscrowAbi,
} as const

// That the code is what the sources compile to is tested by test/operations/contracts.ts.
test('the committed code was compiled from these sources, and the ABIs call only existing functions', () => {
  assert.equal(runtimeCode.sources, hashSources(), 'npm run contracts')
  for (const [name, abi] of Object.entries(ABI_OF)) {
    for (const item of abi) {
      if (item.type !== 'function') continue
      // The dispatcher uses PUSH4 for each selector; leading zeros make it a shorter push.
      const selector = toFunctionSelector(item)
        .slice(2)
        .replace(/^(00)+/, '')
      const push = (0x5f + selector.length / 2).toString(16)
      assert.ok(runtimeCode[name as keyof typeof ABI_OF].includes(push + selector), `${name}.${item.name}`)
    }
  }
})

/** From the contracts on Base: USDC 0x8335…2913, Permit2, coinbase/x402 contracts/evm at dd927a2, Multicall3. */
test('functions and events have the same selectors and topics as on Base', () => {
  const selectorsOf = (abi: Abi, name: string) =>
    abi.flatMap((item) => (item.type === 'function' && item.name === name ? [toFunctionSelector(item)] : []))
  assert.deepEqual(selectorsOf(abis.devUsdcAbi, 'transferWithAuthorization'), ['0xe3ee160e', '0xcf092995'])
  assert.deepEqual(selectorsOf(abis.devUsdcAbi, 'receiveWithAuthorization'), ['0xef55bec6', '0x88b7ab63'])
  assert.deepEqual(selectorsOf(abis.devUsdcAbi, 'cancelAuthorization'), ['0x5a049a70', '0xb7b72899'])
  assert.deepEqual(selectorsOf(abis.devUsdcAbi, 'permit'), ['0xd505accf', '0x9fd5a6cf'])
  assert.deepEqual(selectorsOf(abis.devUptoProxyAbi, 'settle'), ['0xff11e7b4'])
  assert.deepEqual(selectorsOf(abis.devUptoProxyAbi, 'settleWithPermit'), ['0x016c1748'])
  assert.deepEqual(selectorsOf(abis.devExactProxyAbi, 'settle'), ['0x13cd3b53'])
  assert.deepEqual(selectorsOf(abis.devExactProxyAbi, 'settleWithPermit'), ['0xfa340378'])
  assert.deepEqual(selectorsOf(abis.devMulticall3Abi, 'aggregate3'), ['0x82ad56cb'])
  assert.deepEqual(selectorsOf(abis.devMulticall3Abi, 'tryAggregate'), ['0xbce38bd7'])

  const topics = [
    abis.devUsdcAbi,
    testAbis.devChannelEscrowAbi,
    testAbis.devCaptureEscrowAbi,
    abis.devUptoProxyAbi,
  ].flatMap((abi: Abi) =>
    abi.flatMap((item) => (item.type === 'event' ? [[item.name, toEventSelector(item)]] : [])),
  )
  const topicOf = Object.fromEntries(topics)
  assert.equal(
    topicOf.AuthorizationUsed,
    '0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5',
  )
  assert.equal(topicOf.Transfer, '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef')
  assert.equal(topicOf.Claimed, TOPIC.claimed)
  assert.equal(topicOf.PaymentCaptured, TOPIC.captured)
  assert.equal(topicOf.PaymentCharged, TOPIC.charged)
  assert.equal(topicOf.ChannelCreated, TOPIC.channelCreated)
  assert.equal(topicOf.Settled, '0x97088ec3606cfe8cc112180570d03fcde05f9b8e1bfef8e27784eaf5dd5691b6')
  assert.equal(
    topicOf.SettledWithPermit,
    '0xde5b89d10fc800c459329c382fabfcad0be0ed7e5328e01fae04e507b09ef5d8',
  )
})

test('the channel escrow has the functions of the SDK, all and no others', async () => {
  const { abi } = await readSdkChannels()
  // The dispatcher compares with DUP1 PUSH4 <selector> EQ.
  const own = Array.from(
    runtimeCode.DevChannelEscrow.matchAll(/8063([0-9a-f]{8})14/g),
    ([, hex]) => `0x${hex}`,
  )
  const expected = abi.flatMap((item) => (item.type === 'function' ? [toFunctionSelector(item)] : []))
  assert.deepEqual(own.sort(), expected.sort())
  for (const item of abi)
    if (item.type === 'event')
      assert.ok(runtimeCode.DevChannelEscrow.includes(`7f${toEventSelector(item).slice(2)}`), item.name)
})
