import { type Hex, toHex } from 'viem'

/**
 * One iteration of the loop below: JUMPDEST 1, six of 3, JUMPI 10, minus what the first iteration does not
 * need.
 */
const GAS_PER_TURN = 26

/** `isValidSignature(bytes32,bytes)` returns its own selector to accept (EIP-1271). */
const AGREE = '631626ba7e60e01b5f5260205ff3'
/**
 * GASPRICE ISZERO PUSH1 0x16 JUMPI PUSH0 PUSH0 REVERT JUMPDEST: continues from here only in a call without a
 * gas price.
 */
const REFUSE_IN_BLOCK = '3a156016575f5ffd5b'

/**
 * Code of a wallet that accepts every signature after using gas.
 * @param isLiar whether it accepts only in simulations and reverts in a block.
 */
export function walletCode(gas: number, isLiar: boolean): Hex {
  const turns = Math.round(gas / GAS_PER_TURN)
  // PUSH3 turns JUMPDEST PUSH1 1 SWAP1 SUB DUP1 PUSH1 4 JUMPI POP: the code behind it begins at 14.
  const loop = `62${toHex(turns, { size: 3 }).slice(2)}5b600190038060045750`
  return `0x${loop}${isLiar ? REFUSE_IN_BLOCK : ''}${AGREE}`
}

/** Deployment code: PUSH1 size DUP1 PUSH1 9 PUSH0 CODECOPY PUSH0 RETURN, followed by the runtime code. */
export function deploying(code: Hex): Hex {
  const size = toHex((code.length - 2) / 2, { size: 1 }).slice(2)
  return `0x60${size}8060095f395ff3${code.slice(2)}`
}
