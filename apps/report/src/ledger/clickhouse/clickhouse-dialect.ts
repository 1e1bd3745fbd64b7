import type { Address } from '@tollbook/chain/hex'
import type { Dialect } from '../engine/dialect.ts'

/** The SQL of ClickHouse from 18.16 on. */
export const CLICKHOUSE: Dialect = Object.freeze({
  isIn: 'GLOBAL IN',
  leftJoin: 'ANY LEFT JOIN',
  anyOf: (column) => `any(${column})`,
  amountOfMerchant(amounts, otherwise) {
    if (amounts.size === 0) return `toUInt64(${otherwise})`
    // ClickHouse analyses one text much faster than a literal for each element.
    return `transform(hex(merchant), splitByChar(',', '${[...amounts.keys()].map(toUpperHex).join()}'),
    CAST('[${[...amounts.values()].join()}]' AS Array(UInt64)), toUInt64(${otherwise}))`
  },
  // Old servers transform strings only, and drop zero bytes from the end of a FixedString that is cast to one.
  replacedHex(column, replacements) {
    const [from, to] = [[...replacements.keys()], [...replacements.values()]]
    return `transform(hex(${column}), [${from.map(toHexLiteral)}], [${to.map(toHexLiteral)}], hex(${column}))`
  },
  // Never quantileExact, which ranks differently.
  atShares([first, ...others], column, condition) {
    return others.length === 0
      ? `if(countIf(${condition}) = 0, 0, quantileExactWeighted(${first})(${column}, ${condition}))`
      : `if(countIf(${condition}) = 0, [${[0, ...others.map(() => 0)]}],
        quantilesExactWeighted(${[first, ...others]})(${column}, ${condition}))`
  },
  countsByAmount(column, condition, isReal) {
    const sums = `sumMapIf([${column}], [toUInt64(1)], [toUInt64(${isReal})], ${condition})`
    return `tupleElement(${sums} AS sums, 1), tupleElement(sums, 2), tupleElement(sums, 3)`
  },
} satisfies Dialect)

function toHexLiteral(address: Address): string {
  return `'${toUpperHex(address)}'`
}

function toUpperHex(address: Address): string {
  return address.slice(2).toUpperCase()
}
