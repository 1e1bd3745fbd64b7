import { randomBytes } from 'node:crypto'
import type { Hex } from 'viem'

/**
 * Runtime code of a wallet whose isValidSignature runs a loop of 26 gas `rounds` times, then returns the
 * magic value of ERC-1271 if the gas price is 0, as in eth_call and eth_estimateGas, and reverts in a block.
 * @param isVariant appends bytes that never run, so that the code has another hash.
 */
export function hostileCode(rounds: number, isVariant = false): Hex {
  const count = rounds.toString(16).padStart(6, '0')
  // PUSH3 count; JUMPDEST at 4: PUSH1 1, SWAP1, SUB, DUP1, PUSH1 4, JUMPI; POP
  const loop = `62${count}5b600190038060045750`
  // GASPRICE, PUSH1 0x22, JUMPI; the magic value; JUMPDEST at 0x22: REVERT
  const rest = '3a602257631626ba7e60e01b60005260206000f35b600080fd'
  return `0x${loop}${rest}${isVariant ? randomBytes(16).toString('hex') : ''}`
}
