import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEV_CLIENT_KEYS } from '@tollbook/chain/dev-accounts'
import type { Hex } from '@tollbook/chain/hex'
import { BASE } from '@tollbook/chain/network'
import { devExactProxyAbi, devUptoProxyAbi, devUsdcAbi } from '@tollbook/devchain/contracts/abis'
import {
  exactTerms,
  makeByPermit2,
  makeExact,
  payTerms,
  permit2Terms,
  uptoTerms,
} from '@tollbook/testing/payments/offered-payment'
import { encodeFunctionData, toFunctionSelector } from 'viem'
import { encodePermit2Settle, encodeTransfer, SELECTORS, splitSignature } from './calldata.ts'

const EXACT = '((address,uint256),uint256,uint256),address,(address,uint256),bytes'
const UPTO = '((address,uint256),uint256,uint256),uint256,address,(address,address,uint256),bytes'
const PERMIT = '(uint256,uint256,bytes32,bytes32,uint8)'

test('selectors match their signatures', () => {
  const transfer = 'address,address,uint256,uint256,uint256,bytes32'
  const expected = {
    transferByParts: `transferWithAuthorization(${transfer},uint8,bytes32,bytes32)`,
    transferByBytes: `transferWithAuthorization(${transfer},bytes)`,
    authorizationState: 'authorizationState(address,bytes32)',
    balanceOf: 'balanceOf(address)',
    allowance: 'allowance(address,address)',
    nonceBitmap: 'nonceBitmap(address,uint256)',
    settleExact: `settle(${EXACT})`,
    settleExactWithPermit: `settleWithPermit(${PERMIT},${EXACT})`,
    settleUpto: `settle(${UPTO})`,
    settleUptoWithPermit: `settleWithPermit(${PERMIT},${UPTO})`,
    getBlockNumber: 'getBlockNumber()',
  }
  for (const [name, signature] of Object.entries(expected))
    assert.equal(SELECTORS[name as keyof typeof SELECTORS], toFunctionSelector(signature), name)
})

test('a transfer is encoded as viem encodes it, with v, r, s and with bytes', async () => {
  const payment = await makeExact(DEV_CLIENT_KEYS[0], exactTerms('2237'))
  const { payer, payTo, signedAmount, validAfter, validBefore, nonce, signature } = payment
  const head = [payer, payTo, signedAmount, BigInt(validAfter), BigInt(validBefore), nonce] as const
  const { v, r, s } = splitSignature(signature)
  const byParts = {
    abi: devUsdcAbi,
    functionName: 'transferWithAuthorization',
    args: [...head, v, r, s],
  } as const
  assert.equal(encodeTransfer(payment).toLowerCase(), encodeFunctionData(byParts))
  for (const bytes of ['0x11', `0x${'11'.repeat(64)}`, `0x${'11'.repeat(97)}`] satisfies Hex[]) {
    const byBytes = {
      abi: devUsdcAbi,
      functionName: 'transferWithAuthorization',
      args: [...head, bytes],
    } as const
    assert.equal(encodeTransfer(payment, bytes).toLowerCase(), encodeFunctionData(byBytes))
  }
})

const permit = { deadline: 1_900_000_000, signature: `0x${'12'.repeat(32)}${'34'.repeat(32)}1b` } as const
const { v, r, s } = splitSignature(permit.signature)

test('an exact settlement by Permit2 is encoded as viem encodes it, with and without a permit', async () => {
  const payment = await makeByPermit2(DEV_CLIENT_KEYS[0], permit2Terms('2237'), { validAfter: 7n })
  const { payer, payTo, signedAmount, validAfter, validBefore, nonce, signature } = payment
  const permitted = { token: BASE.usdc, amount: signedAmount }
  const args = [
    { permitted, nonce: BigInt(nonce), deadline: BigInt(validBefore) },
    payer,
    { to: payTo, validAfter: BigInt(validAfter) },
    signature,
  ] as const
  const abi = devExactProxyAbi
  assert.equal(
    encodePermit2Settle(payment, signedAmount).toLowerCase(),
    encodeFunctionData({ abi, functionName: 'settle', args }),
  )
  const permit2612 = { value: signedAmount, deadline: 1_900_000_000n, r, s, v }
  assert.equal(
    encodePermit2Settle({ ...payment, permit }, signedAmount).toLowerCase(),
    encodeFunctionData({ abi, functionName: 'settleWithPermit', args: [permit2612, ...args] }),
  )
})

test('an upto settlement is encoded as viem encodes it, with and without a permit', async () => {
  const terms = uptoTerms('41977')
  const payment = await payTerms(DEV_CLIENT_KEYS[0], terms)
  const { payer, payTo, signedAmount, validAfter, validBefore, nonce, signature } = payment
  const args = [
    {
      permitted: { token: BASE.usdc, amount: signedAmount },
      nonce: BigInt(nonce),
      deadline: BigInt(validBefore),
    },
    1234n,
    payer,
    { to: payTo, facilitator: String(terms.extra.facilitatorAddress) as Hex, validAfter: BigInt(validAfter) },
    signature,
  ] as const
  const settle = { abi: devUptoProxyAbi, functionName: 'settle', args } as const
  assert.equal(encodePermit2Settle(payment, 1234n).toLowerCase(), encodeFunctionData(settle))
  const settleWithPermit = {
    abi: devUptoProxyAbi,
    functionName: 'settleWithPermit',
    args: [{ value: signedAmount, deadline: 1_900_000_000n, r, s, v }, ...args],
  } as const
  assert.equal(
    encodePermit2Settle({ ...payment, permit }, 1234n).toLowerCase(),
    encodeFunctionData(settleWithPermit),
  )
})
