import type { TypedCase } from './typed-case.ts'
import type { TypedPen } from './typed-pen.ts'
import { sizeInPari, TYPED_UNITS, type TypedUnit } from './typed-units.ts'

const ARROWS = [' in ', ' in ', ' to ', ' to ', ' as ', ' -> ', ' into '] as const

/** `5 ft^2 in m²`. */
export function drawConversion(pen: TypedPen): TypedCase {
  const family = pen.pick(TYPED_UNITS)
  const [from, to] = [pen.pick(family), pen.pick(family)]
  const amount = pen.amount()
  const spelled = pen.pick(from.spellings)
  // `6ft2` has two readings, and `2.5M m` is not written without a space.
  const space = /^[a-z]+$/.test(spelled) && /\d$/.test(amount.typed) && pen.chance(0.3) ? '' : ' '
  return {
    form: 'conversion',
    typed: `${amount.typed}${space}${spelled}${pen.pick(ARROWS)}${pen.pick(to.spellings)}`,
    pari: `${amount.value}*(${from.pari})/(${to.pari})`,
    gnu: [`${amount.value} (${from.gnu})`, to.gnu],
  }
}

/** `5'6"`, `5 ft 6 in in cm`, `1h30m`. */
export function drawFeetAndInches(pen: TypedPen): TypedCase {
  const [feet, inches] = [pen.between(1, 9), pen.between(0, 11)]
  const [hours, minutes] = [pen.between(1, 23), pen.between(1, 59)]
  if (pen.chance(0.4)) {
    const [typed, pari] = pen.pick([
      [`${hours}h${minutes}m`, `${hours}+${minutes}/60`],
      [`${hours}h ${minutes}min`, `${hours}+${minutes}/60`],
      [`${hours} hours ${minutes} minutes`, `${hours}+${minutes}/60`],
      [`${hours} hours and ${minutes} minutes`, `${hours}+${minutes}/60`],
    ] as const)
    const gnu = `${hours} hour + ${minutes} min`
    const target = pen.pick([
      ['', 'hour', '1'],
      [' in min', 'min', '60'],
      [' to seconds', 's', '3600'],
    ] as const)
    return {
      form: 'duration',
      typed: `${typed}${target[0]}`,
      pari: `(${pari})*${target[2]}`,
      gnu: [gnu, target[1]],
    }
  }
  const typed = pen.pick([
    `${feet}'${inches}"`,
    `${feet}' ${inches}"`,
    `${feet}′${inches}″`,
    `${feet} ft ${inches} in`,
    `${feet}ft${inches}in`,
    `${feet} feet ${inches} inches`,
    `${feet} foot ${inches}"`,
  ])
  const target = pen.pick([
    ['', 'ft', '12'],
    [' in cm', 'cm', '(100/254)'],
    [' to m', 'm', '(10000/254)'],
    [' in inches', 'inch', '1'],
  ] as const)
  return {
    form: 'feet and inches',
    typed: `${typed}${target[0]}`,
    pari: `(${feet}*12+${inches})/${target[2]}`,
    gnu: [`${feet} ft + ${inches} inch`, target[1]],
  }
}

/** Sums, products and quotients of quantities, with a target. */
export function drawMixedQuantity(pen: TypedPen): TypedCase {
  const family = pen.pick(TYPED_UNITS)
  const [a, b, to] = [pen.pick(family), pen.pick(family), pen.pick(family)]
  const [x, y, n] = [pen.pick([pen.whole(), pen.decimal()]), pen.whole(), pen.whole(2, 24)]
  const write = (unit: TypedUnit) => pen.pick(unit.spellings)
  const arrow = pen.pick([' in ', ' to '])
  const quotient = (speed: string, length: string, time: string): TypedCase => ({
    form: 'quantities',
    typed: `${x.typed} ${length} / ${y.typed} ${time}${arrow}${speed}`,
    pari: `(${x.value}*${sizeInPari(length)})/(${y.value}*${sizeInPari(time)})/${sizeInPari(speed)}`,
    gnu: [`(${x.value} ${length})/(${y.value} ${time})`, speed],
  })
  return pen.pick([
    () => ({
      form: 'quantities',
      typed: `${x.typed} ${write(a)} + ${y.typed} ${write(b)}${arrow}${write(to)}`,
      pari: `(${x.value}*(${a.pari})+${y.value}*(${b.pari}))/(${to.pari})`,
      gnu: [`${x.value} (${a.gnu}) + ${y.value} (${b.gnu})`, to.gnu] as const,
    }),
    () => ({
      form: 'quantities',
      typed: `${x.typed} ${write(a)} * ${n.typed}${arrow}${write(to)}`,
      pari: `${x.value}*(${a.pari})*${n.value}/(${to.pari})`,
      gnu: [`${x.value} (${a.gnu}) * ${n.value}`, to.gnu] as const,
    }),
    () => ({
      form: 'quantities',
      typed: `${x.typed} ${write(a)} / ${n.typed}${arrow}${write(to)}`,
      pari: `${x.value}*(${a.pari})/${n.value}/(${to.pari})`,
      gnu: [`${x.value} (${a.gnu}) / ${n.value}`, to.gnu] as const,
    }),
    () => quotient('km/hour', 'km', 'min'),
    () => quotient('m/s', 'mile', 's'),
    () => quotient('l/min', 'gallon', 's'),
    () => ({
      form: 'quantities',
      typed: `${x.typed} km / (${y.typed} km/h)${arrow}${pen.pick(['min', 'minutes'])}`,
      pari: `${x.value}/${y.value}*60`,
      gnu: [`${x.value} km / (${y.value} km/hour)`, 'min'] as const,
    }),
    () => ({
      form: 'quantities',
      typed: `${x.typed} ft x ${y.typed} ft${arrow}${pen.pick(['m2', 'm^2', 'square meters'])}`,
      pari: `${x.value}*${y.value}*(3048/10000)^2`,
      gnu: [`${x.value} ft * ${y.value} ft`, 'm^2'] as const,
    }),
  ])()
}

const SCALES = [
  {
    spellings: ['°C', 'degC', 'C', 'celsius', 'c'],
    gnu: 'tempC',
    toKelvin: (x: string) => `(${x}+27315/100)`,
  },
  {
    spellings: ['°F', 'degF', 'F', 'fahrenheit', 'f'],
    gnu: 'tempF',
    toKelvin: (x: string) => `((${x}+45967/100)*5/9)`,
  },
] as const
const FROM_KELVIN = [(k: string) => `${k}-27315/100`, (k: string) => `${k}*9/5-45967/100`] as const

export function drawTemperature(pen: TypedPen): TypedCase {
  const at = pen.between(0, 1)
  const [from, to] = at === 0 ? ([SCALES[0], 1] as const) : ([SCALES[1], 0] as const)
  const amount = pen.pick([pen.whole(0, 500), pen.decimal()])
  const sign = pen.chance(0.2) && Number(amount.typed) < 200 ? '-' : ''
  const value = `(${sign}${amount.value})`
  const spelled = pen.pick(from.spellings)
  return {
    form: 'temperature',
    typed: `${sign}${amount.typed}${pen.pick([' ', ''])}${spelled}${pen.pick([' in ', ' to '])}${pen.pick(SCALES[to].spellings)}`,
    pari: FROM_KELVIN[to](from.toKelvin(value)),
    gnu: [`${from.gnu}(${value})`, SCALES[to].gnu],
  }
}
