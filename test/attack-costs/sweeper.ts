import { BASE } from '@tollbook/chain/network'
import type { Authorization } from '@tollbook/devchain/contracts/typed-data'
import { toTransferTypedData } from '@tollbook/testing/chain/authorization-typed-data'
import type { Payer } from '@tollbook/testing/payments/sign-payment'
import solc from 'solc'
import { type Address, concatHex, type Hex, parseSignature, toHex } from 'viem'

/**
 * Submits many `transferWithAuthorization` of one amount, each packed as from, to, r, s, v and 20 bytes of nonce,
 * whether or not each succeeds: cheaper than Multicall3, because most of its calldata are zeros.
 */
const SOURCE = `
// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;
contract Sweeper {
  fallback() external {
    assembly {
      let end := calldatasize()
      mstore(0, shl(224, 0xe3ee160e))
      mstore(68, shr(192, calldataload(0)))
      mstore(132, shr(192, calldataload(8)))
      for { let at := 16 } lt(at, end) { at := add(at, 125) } {
        mstore(4, shr(96, calldataload(at)))
        mstore(36, shr(96, calldataload(add(at, 20))))
        mstore(164, shr(96, calldataload(add(at, 105))))
        mstore(196, byte(0, calldataload(add(at, 104))))
        mstore(228, calldataload(add(at, 40)))
        mstore(260, calldataload(add(at, 72)))
        pop(call(gas(), ${BASE.usdc}, 0, 0, 292, 0, 0))
      }
    }
  }
}`

/** Deployment code of the contract. */
export function compileSweeper(): Hex {
  const settings = {
    optimizer: { enabled: true, runs: 1_000_000 },
    outputSelection: { '*': { '*': ['evm.bytecode'] } },
  }
  const input = { language: 'Solidity', sources: { 'Sweeper.sol': { content: SOURCE } }, settings }
  const output = JSON.parse(solc.compile(JSON.stringify(input)))
  const errors = output.errors ?? []
  if (errors.length > 0) throw new Error(errors[0].formattedMessage)
  return `0x${output.contracts['Sweeper.sol'].Sweeper.evm.bytecode.object}`
}

/** A wallet, and the wallet that receives its money. */
export type Move = { readonly payer: Payer; readonly heir: Address }

/** Calldata that moves `value` micro-USDC from each wallet to its heir. */
export async function packSweep(moves: readonly Move[], value: bigint): Promise<Hex> {
  const validBefore = BigInt(Math.floor(Date.now() / 1000) + 3_600)
  const packed = moves.map(async ({ payer, heir }) => {
    const authorization = { from: payer.address, to: heir, value, validAfter: 0n, validBefore, nonce: NONCE }
    const { r, s, v } = parseSignature(await signTransfer(payer, authorization))
    return concatHex([payer.address, heir, r, s, toHex(v ?? 27n, { size: 1 }), toHex(1, { size: 20 })])
  })
  return concatHex([
    toHex(value, { size: 8 }),
    toHex(validBefore, { size: 8 }),
    ...(await Promise.all(packed)),
  ])
}

export function signTransfer(payer: Payer, authorization: Authorization): Promise<Hex> {
  return payer.signTypedData(toTransferTypedData(authorization))
}

/** Each wallet is swept once. */
export const NONCE = toHex(1, { size: 32 })
