import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toEventSelector } from 'viem'
import { TOPIC } from './topics.ts'

test('event topics are the hashes of their signatures', () => {
  const paymentInfo =
    '(address,address,address,address,uint120,uint48,uint48,uint48,uint16,uint16,address,uint256)'
  assert.deepEqual(TOPIC, {
    transfer: toEventSelector('Transfer(address,address,uint256)'),
    authorizationUsed: toEventSelector('AuthorizationUsed(address,bytes32)'),
    authorizationCanceled: toEventSelector('AuthorizationCanceled(address,bytes32)'),
    settled: toEventSelector('Settled()'),
    settledWithPermit: toEventSelector('SettledWithPermit()'),
    nonceInvalidated: toEventSelector('UnorderedNonceInvalidation(address,uint256,uint256)'),
    claimed: toEventSelector('Claimed(bytes32,address,uint128,uint128)'),
    channelCreated: toEventSelector(
      'ChannelCreated(bytes32,(address,address,address,address,address,uint40,bytes32))',
    ),
    captured: toEventSelector('PaymentCaptured(bytes32,uint256,uint16,address)'),
    charged: toEventSelector(`PaymentCharged(bytes32,${paymentInfo},uint256,address,uint16,address)`),
  })
})
