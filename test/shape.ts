import { readFileSync } from 'node:fs'
import { packageOf, sources } from './imports.ts'

/** Lines that a function may have; a stylesheet in one literal is data. */
export const MAX_FUNCTION_LINES = 100
const DATA = new Set(['renderStyle'])

type Place = { readonly file: string; readonly line: number; readonly name: string }
type LongFunction = Place & { readonly lines: number }

export type Shape = {
  /** Lines of src without tests, by folder. */
  readonly lines: ReadonlyMap<string, number>
  /** Functions with more lines than they may have. */
  readonly functions: readonly LongFunction[]
  /** Objects that are spread into the options of several factories. */
  readonly spreads: readonly Place[]
}

/** Measures src without tests. Relies on the layout of the formatter. */
export function measureShape(): Shape {
  const lines = new Map<string, number>()
  const functions: LongFunction[] = []
  const spreads: Place[] = []
  for (const file of sources) {
    const text = readFileSync(file, 'utf8')
    const rows = text.split('\n').slice(0, -1)
    lines.set(packageOf(file), (lines.get(packageOf(file)) ?? 0) + rows.length)
    functions.push(...findFunctions(file, rows).filter((found) => found.lines > MAX_FUNCTION_LINES))
    spreads.push(...findSpreads(file, text))
  }
  return { lines, functions, spreads }
}

/** Functions and methods with a body of several lines: from their first line to the brace in the same column. */
function findFunctions(file: string, rows: readonly string[]): LongFunction[] {
  return rows.flatMap((row, at) => {
    const [, indent = '', name] =
      /^( *)(?:export )?(?:async )?function\*? (\w+)/.exec(row) ??
      /^( *)(?:static |async |get )*(#?\w+)\(.*[{(]$/.exec(row) ??
      /^( *)(?:export )?const (\w+) = .*=> \{$/.exec(row) ??
      []
    if (name === undefined || DATA.has(name) || /^(?:if|for|while|switch|catch|return)$/.test(name)) return []
    const end = rows.findIndex(
      (other, line) => line > at && other.startsWith(`${indent}}`) && !other.endsWith('{'),
    )
    return end < 0 ? [] : [{ file, line: at + 1, name, lines: end - at + 1 }]
  })
}

/** Names that a file spreads into the options of two or more `create…`, `open…`, `start…` or `new …`. */
function findSpreads(file: string, text: string): Place[] {
  const calls = text.matchAll(/(?<!function )\b(?:new [A-Z]|(?:create|open|start)[A-Z])\w*\(\{/g)
  const uses = [...calls].flatMap(({ 0: call, index }) =>
    readSpreadNames(text, index + call.length).map((name) => ({ name, call, index })),
  )
  return [...Map.groupBy(uses, ({ name }) => name)].flatMap(([name, found]) => {
    const isBag = new Set(found.map(({ call }) => call)).size > 1
    return isBag ? [{ file, line: text.slice(0, found[0]?.index).split('\n').length, name }] : []
  })
}

/** The names that an object literal spreads. @param start after its opening brace */
function readSpreadNames(text: string, start: number): string[] {
  const names: string[] = []
  let depth = 1
  for (let at = start; depth > 0 && at < text.length; at += 1) {
    if (text[at] === '{') depth += 1
    else if (text[at] === '}') depth -= 1
    const [, name] =
      depth === 1 && text.startsWith('...', at)
        ? (/^\.{3}(\w+)\b(?![.(])/.exec(text.slice(at, at + 60)) ?? [])
        : []
    if (name !== undefined) names.push(name)
  }
  return names
}
