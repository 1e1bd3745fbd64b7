import type { Node } from './node.ts'

/** C and F are coulomb and farad; in a conversion between each other or with kelvin they can only be temperatures. */
const LETTERS: ReadonlyMap<string, string> = new Map([
  ['C', 'degC'],
  ['F', 'degF'],
  ['c', 'degC'],
])
const TEMPERATURES = new Set([
  'C',
  'c',
  'F',
  'K',
  'degC',
  'degF',
  'degR',
  '°C',
  '°F',
  'kelvin',
  'celsius',
  'fahrenheit',
])

type Conversion = Extract<Node, { readonly kind: 'convert' }>

/** Reads `100 C to F` as degrees, since a charge does not convert to a capacitance; other conversions are unchanged. */
export function readTemperatureLetters(node: Conversion): Conversion {
  const [from, to] = [nameOfUnit(node.from), nameOfUnit(node.to)]
  const isTemperature = from !== to && TEMPERATURES.has(from) && TEMPERATURES.has(to)
  if (!isTemperature || !(LETTERS.has(from) || LETTERS.has(to))) return node
  return { ...node, from: rename(node.from), to: rename(node.to) }
}

/** The only unit of `C`, `20 C` or `-20 C`; empty for anything else. */
function nameOfUnit(node: Node): string {
  if (node.kind === 'negate') return nameOfUnit(node.operand)
  if (node.kind === 'measure') return nameOfUnit(node.unit)
  return node.kind === 'name' ? node.name : ''
}

function rename(node: Node): Node {
  if (node.kind === 'negate') return { ...node, operand: rename(node.operand) }
  if (node.kind === 'measure') return { ...node, unit: rename(node.unit) }
  return node.kind === 'name' ? { ...node, name: LETTERS.get(node.name) ?? node.name } : node
}
