import type { Address } from '@tollbook/chain/hex'
import type { Dialect } from '../engine/dialect.ts'

/** The SQL of DuckDB 1.5, https://duckdb.org/docs/stable/sql/introduction */
export const DUCKDB: Dialect = Object.freeze({
  isIn: 'IN',
  leftJoin: 'LEFT JOIN',
  anyOf: (column) => `any_value(${column})`,
  amountOfMerchant(amounts, otherwise) {
    if (amounts.size === 0) return `toUInt64(${otherwise})`
    const [merchants, listed] = [[...amounts.keys()], [...amounts.values()]]
    // DuckDB runs the subquery as one join.
    return `coalesce((SELECT any_value(listed_amount) FROM (
      SELECT unhex(unnest(string_split('${merchants.map(toHex).join()}', ','))) AS listed_merchant,
        CAST(unnest(string_split('${listed.join()}', ',')) AS UBIGINT) AS listed_amount
    ) WHERE listed_merchant = merchant), ${otherwise})`
  },
  replacedHex(column, replacements) {
    const [from, to] = [[...replacements.keys()], [...replacements.values()]]
    return `coalesce((SELECT any_value(listed_to) FROM (
      SELECT unhex(unnest(string_split('${from.map(toHex).join()}', ','))) AS listed_from,
        upper(unnest(string_split('${to.map(toHex).join()}', ','))) AS listed_to
    ) WHERE listed_from = ${column}), hex(${column}))`
  },
  atShares(shares, column, condition) {
    const [first = 0, ...others] = shares
    // Unsigned numbers take twice as long.
    const value = `CAST(${column} AS HUGEINT)`
    return others.length === 0
      ? `coalesce(quantile_disc(${value}, ${first}) FILTER (WHERE ${condition}), 0)`
      : `coalesce(quantile_disc(${value}, [${shares}]) FILTER (WHERE ${condition}), [${shares.map(() => 0)}])`
  },
  countsByAmount(column, condition, isReal) {
    const all = `histogram(${column}) FILTER (WHERE ${condition})`
    const real = `histogram(${column}) FILTER (WHERE (${condition}) AND (${isReal}))`
    return `coalesce(map_keys(${all}), []), coalesce(map_values(${all}), []),
      coalesce(list_transform(map_keys(${all}), lambda price: coalesce((${real})[price], 0)), [])`
  },
} satisfies Dialect)

/** The functions of ClickHouse that statements use, as macros of DuckDB: name and parameters, and the expression. */
export const MACROS: readonly (readonly [head: string, body: string])[] = Object.freeze([
  ['arrayJoin(list)', 'unnest(list)'],
  ['bitAnd(a, b)', 'a & b'],
  ['intDiv(a, b)', 'a // b'],
  ['materialize(x)', 'x'],
  ['splitByChar(separator, text)', 'string_split(text, separator)'],
  ['sumIf(x, condition)', 'coalesce(sum(x) FILTER (WHERE condition), 0)'],
  ['toDecimal128(x, scale)', 'CAST(x AS HUGEINT)'],
  ['toFixedString(x, size)', 'x'],
  ['toString(x)', 'CAST(x AS VARCHAR)'],
  ['toUInt8(x)', 'CAST(x AS UTINYINT)'],
  ['toUInt64(x)', 'CAST(x AS UBIGINT)'],
  ['uniqExact(x)', 'count(DISTINCT x)'],
  ['uniqExactIf(x, condition)', 'count(DISTINCT x) FILTER (WHERE condition)'],
])

function toHex(address: Address): string {
  return address.slice(2)
}
