import { CalcError } from '../calc-error.ts'
import type { Workspace } from '../workspace.ts'
import { add, divide, multiply, negate } from './arithmetic.ts'
import type { Numeric } from './number.ts'
import { floorOfNumber, integer, signOfNumber, toInteger } from './number.ts'
import { raise } from './power.ts'
import { parseRational } from './rational.ts'

const MAX_DECIMALS = 1000n

export function floorOf(x: Numeric, workspace: Workspace): Numeric {
  return integer(floorOfNumber(x, workspace))
}

export function ceilingOf(x: Numeric, workspace: Workspace): Numeric {
  return negate(floorOf(negate(x), workspace))
}

/** Rounds towards 0. */
export function truncationOf(x: Numeric, workspace: Workspace): Numeric {
  return signOfNumber(x, workspace) < 0 ? ceilingOf(x, workspace) : floorOf(x, workspace)
}

/** Rounds to this many decimals, -1000 to 1000; halves are rounded away from 0. */
export function roundOf(x: Numeric, decimals: Numeric, workspace: Workspace): Numeric {
  const places = toInteger(decimals)
  if (places === null || places > MAX_DECIMALS || places < -MAX_DECIMALS)
    throw new CalcError('value', 'round takes a whole number of decimals from -1000 to 1000')
  if (signOfNumber(x, workspace) < 0) return negate(roundOf(negate(x), decimals, workspace))
  const scale = raise(integer(10), decimals, workspace)
  const half: Numeric = { kind: 'rational', value: parseRational('1/2') }
  const scaled = add(multiply(x, scale, workspace), half, workspace)
  return divide(floorOf(scaled, workspace), scale, workspace)
}
