import { readFileSync } from 'node:fs'
import { roomOf, sources } from '../test/imports.ts'

/** Lines that a function may have; stylesheets and tables in one literal are data. */
const MAX_LINES = 100
const DATA = new Set(['renderStyle'])

type Place = { readonly file: string; readonly line: number; readonly name: string }

/**
 * Prints the lines of src without tests by folder, its functions above 100 lines, and its objects that are spread into
 * the arguments of several factories. Relies on the layout of the formatter.
 */
const lines = new Map<string, number>()
const functions: (Place & { readonly lines: number })[] = []
const spreads: Place[] = []
for (const file of sources) {
  const text = readFileSync(file, 'utf8')
  const rows = text.split('\n').slice(0, -1)
  lines.set(roomOf(file), (lines.get(roomOf(file)) ?? 0) + rows.length)
  functions.push(...findFunctions(file, rows).filter((found) => found.lines > MAX_LINES))
  spreads.push(...findSpreads(file, text))
}
const total = [...lines.values()].reduce((sum, each) => sum + each, 0)
const folders = Object.fromEntries([...lines].sort(([, one], [, other]) => other - one))
process.stdout.write(`${JSON.stringify({ lines: total, folders })}\n`)
for (const place of functions.sort((one, other) => other.lines - one.lines))
  process.stdout.write(`function ${JSON.stringify(place)}\n`)
for (const place of spreads) process.stdout.write(`spread ${JSON.stringify(place)}\n`)
process.stdout.write(`${JSON.stringify({ functions: functions.length, spreads: spreads.length })}\n`)

/** Functions and methods with a body of several lines: from their first line to the brace in the same column. */
function findFunctions(file: string, rows: readonly string[]): (Place & { readonly lines: number })[] {
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
