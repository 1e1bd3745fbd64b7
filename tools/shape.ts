import { measureShape } from '../test/shape.ts'

/**
 * Prints the lines of src without tests by folder, its functions above 100 lines, and its objects that are spread into
 * the options of several factories, as JSON lines.
 */
const { lines, functions, spreads } = measureShape()
const print = (value: unknown) => process.stdout.write(`${JSON.stringify(value)}\n`)
const total = [...lines.values()].reduce((sum, each) => sum + each, 0)
print({
  lines: total,
  functions: functions.length,
  spreads: spreads.length,
  folders: Object.fromEntries([...lines].sort(([, one], [, other]) => other - one)),
})
for (const place of functions.toSorted((one, other) => other.lines - one.lines)) print({ function: place })
for (const place of spreads) print({ spread: place })
