/**
 * Writes the generated cases of the calculator with the answers of PARI/GP and GNU units, and prints their
 * versions: `npx node packages/testing/src/utility/make-calc-cases.ts` (Debian: `apt-get install pari-gp units`).
 */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createRandom } from '@tollbook/devchain/demo-week/random'
import { askUnits, type ComparedUnit, comparedUnits, findName } from './gnu-units.ts'
import { askPari, makePariCases, roundPari } from './pari-gp.ts'
import { drawTyped } from './typed/draw-typed.ts'

const FOLDER = join(import.meta.dirname, '../../../calc/src/golden')
const SEED = 20_261_121
const PARI_CASES = 5000
const UNIT_CASES = 1000
const TYPED_CASES = 1600
const DIGITS = 50

type UnitCase = { readonly ours: string; readonly have: string; readonly want: string }
type NamedUnit = ComparedUnit & { readonly name: string }

function writePari(): void {
  const cases = makePariCases(PARI_CASES, SEED)
  const answers = askPari(cases).map((value) => roundPari(value, DIGITS))
  const lines = cases.map(({ ours }, at) => `${ours}\t${answers[at]}\n`)
  writeFileSync(join(FOLDER, 'pari-cases.tsv'), lines.join(''))
  process.stdout.write(`${cases.length} cases of PARI/GP ${version('gp', '--version-short')}\n`)
}

/** A part of the expressions of `npm run quality -- --only calc`, from another seed. */
function writeTyped(): void {
  const cases = drawTyped(TYPED_CASES, SEED)
  const valued = cases.filter(({ pari }) => pari !== null)
  const values = askPari(valued.map(({ typed, pari }) => ({ ours: typed, pari: pari ?? '0' })))
  const expected = new Map(valued.map((one, at) => [one, roundPari(values[at] ?? '', DIGITS)]))
  const lines = cases.map((one) => {
    const { typed, unit } = one
    return `${typed}\t${expected.get(one) ?? 'refused'}\t${unit === undefined ? '?' : (unit ?? '')}\n`
  })
  writeFileSync(join(FOLDER, 'typed-cases.tsv'), lines.join(''))
  process.stdout.write(`${cases.length} typed cases\n`)
}

function writeUnits(): void {
  const named = comparedUnits().map((unit): NamedUnit => {
    const name = findName(unit)
    if (name === null) throw new Error(`GNU units has no ${unit.symbol} of ${unit.size} ${unit.base}`)
    return { ...unit, name }
  })
  const cases = makeUnitCases(named)
  const answers = askUnits(cases.map(({ have, want }) => [have, want]))
  const lines = cases.map(({ ours }, at) => `${ours}\t${answers[at]}\n`)
  writeFileSync(join(FOLDER, 'gnu-units-cases.tsv'), lines.join(''))
  process.stdout.write(`${cases.length} cases of ${version('units', '--version')}, ${named.length} units\n`)
}

/** Each unit in base units; then conversions of units, of products and quotients of two, of powers, and of temperatures. */
function makeUnitCases(named: readonly NamedUnit[]): readonly UnitCase[] {
  const random = createRandom(SEED)
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item
  // A dimensionless unit, such as a dozen, is a number and not a conversion target.
  const families = [
    ...Map.groupBy(
      named.filter(({ base }) => base !== '1'),
      ({ base }) => base,
    ).values(),
  ]
  const amount = () =>
    `${Math.ceil(random() * 10 ** pick([1, 4, 9]))}${pick(['', '.5', '.125', 'e-6', 'e9'])}`
  const convert = (): UnitCase => {
    const [family, other] = [pick(families), pick(families)]
    const [a, b, c, d] = [pick(family), pick(family), pick(other), pick(other)]
    const n = amount()
    const form = family === other ? 'one' : pick(['one', 'one', 'product', 'quotient', 'square'])
    if (form === 'one')
      return { ours: `${n} ${a.symbol} to ${b.symbol}`, have: `${n} (${a.name})`, want: b.name }
    const [power, sign] =
      form === 'square' ? (['^2', ''] as const) : (['', form === 'product' ? '*' : '/'] as const)
    if (power !== '')
      return {
        ours: `${n} ${a.symbol}^2 to ${b.symbol}^2`,
        have: `${n} (${a.name})^2`,
        want: `(${b.name})^2`,
      }
    return {
      ours: `${n} ${a.symbol}${sign}${c.symbol} to ${b.symbol}${sign}${d.symbol}`,
      have: `${n} (${a.name})${sign}(${c.name})`,
      want: `(${b.name})${sign}(${d.name})`,
    }
  }
  const scales = [
    ['degC', 'tempC'],
    ['degF', 'tempF'],
  ] as const
  const temperature = (): UnitCase => {
    const [from, to] = [pick(scales), pick(scales)]
    const n = `${Math.floor(random() * 2000)}.${Math.floor(random() * 1000)}`
    return { ours: `${n} ${from[0]} to ${to[0]}`, have: `${from[1]}(${n})`, want: to[1] }
  }
  const each = families.flat().map(({ symbol, name, base }) => ({
    ours: `1 ${symbol} to ${base.replaceAll('radian', 'rad')}`,
    have: name,
    want: base,
  }))
  const further = Array.from({ length: UNIT_CASES - each.length }, (_, at) =>
    at % 20 === 0 ? temperature() : convert(),
  )
  return [...each, ...further]
}

function version(program: string, word: string): string {
  return execFileSync(program, [word], { encoding: 'utf8' }).split('\n')[0] ?? ''
}

writePari()
writeUnits()
writeTyped()
