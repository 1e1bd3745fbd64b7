import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ask, calcErrorOf, checkAll } from '@tollbook/testing/utility/calculator'

/** `<result> <unit>`, with at most ten decimals. */
function shortly(expression: string): string {
  const { result, unit } = ask(expression)
  return `${result.replace(/(\.\d{10})\d+$/, '$1')}${unit === null ? '' : ` ${unit}`}`
}

test('in converts wherever a quantity precedes and a unit follows', () => {
  checkAll(
    {
      // 100^2
      '1 m^2 in cm^2': '10000 cm^2',
      // 5 * 0.3048^2
      '5 ft^2 in m^2': '0.4645152 m^2',
      '1 mi^2 in acre': '640 acre',
      '1 km^2 in ha': '100 ha',
      // 17280 / 231 cubic inches
      '10 ft^3 in gal': '74.8051948051 gal',
      '1 m^3 in l': '1000 l',
      '1 kg m/s^2 in N': '1 N',
      // 10 / 0.3048
      '10 m/s^2 in ft/s^2': '32.8083989501 ft/s^2',
      // 1000 g in 10^6 cm^3
      '1 kg/m^3 in g/cm^3': '0.001 g/cm^3',
      // 5 * 3.6
      '5 m s^-1 in km/h': '18 km/h',
      '1 day / 24 in h': '1 h',
      '3 m2 in cm2': '30000 cm^2',
      '2 m³ in l': '2000 l',
      '(2 m)^2 in cm^2': '40000 cm^2',
    },
    shortly,
  )
})

test('in is the inch before a conversion, at the end and before a unit of force', () => {
  checkAll(
    {
      '5 in in cm': '12.7 cm',
      '6 ft in in': '72 in',
      '5 ft 6 in in cm': '167.64 cm',
      '12 in': '12 in',
      '10 in^2 in in^2': '10 in^2',
      '36 ft / 12 in in': '36 in',
      // 100 * 0.0254 * 4.4482216152605
      '100 in lbf to N m': '11.2984829027 N*m',
    },
    shortly,
  )
  assert.match(calcErrorOf('5 in cm'), /no unit that could be converted/)
  assert.match(calcErrorOf('5 ft in'), /unexpected in/)
})

test('a chain of divisions with two readings is refused with both', () => {
  assert.equal(
    calcErrorOf('60 km / 30 km/h in min'),
    '7 ambiguous division: write (60 km / (30 km)) / h or 60 km / (30 km / h)',
  )
  for (const expression of [
    '100 km / 50 km/h in h',
    '42 km / 10 km/h in min',
    '1 TB / 100 Mbit/s in hours',
    '10 GB / 50 Mbit/s in min',
    '100 km / 50 km per hour',
    '1 / 50 Hz',
    '1 / 50 km/h',
  ])
    assert.match(calcErrorOf(expression), /ambiguous division/, expression)
  checkAll(
    {
      '60 km / (30 km/h) in min': '120 min',
      '(1 TB) / (100 Mbit/s) in hours': '22.2222222222 h',
      '1/(50 Hz) in ms': '20 ms',
      '100 km / 2 h / 5': '10 km/h',
      '1/2 km/h in m/s': '0.1388888888 m/s',
      '3 / 4 cup in tbsp': '12 tbsp',
    },
    shortly,
  )
})

test('only consumption and the period of a frequency convert to their reciprocal', () => {
  for (const expression of [
    '1 / 50 Hz in ms',
    '1/50 Hz in ms',
    '10 m/s in s/m',
    '5 /s in s',
    '10 km/h in min/km',
  ])
    assert.match(calcErrorOf(expression), /one is the reciprocal of the other/, expression)
  checkAll(
    {
      '50 Hz in ms': '20 ms',
      '20 ms to kHz': '0.05 kHz',
      // 235.214583 / 30
      '30 mpg in l/100km': '7.8404861111 l / (100 km)',
      '5 l/100km in km/l': '20 km/l',
      '1/(12 km/h) in min/km': '5 min/km',
    },
    shortly,
  )
})

test('what is no arithmetic is refused with a hint', () => {
  for (const expression of [
    '2026-12-25 - 2026-11-28',
    '2026-11-28',
    '11/28/2026',
    '12/25/2026 - 11/28/2026',
    '28-11-2026',
    '28.11.2026',
    '05/03/26',
    '2026/11/28',
  ])
    assert.match(calcErrorOf(expression), /looks like a date/, expression)
  assert.match(calcErrorOf('9 am to 5 pm'), /no arithmetic/)
  assert.match(calcErrorOf('12:30 + 1:45'), /write 12 h 30 min or 12 min 30 s/)
  for (const expression of ['555-1234', '1-800-555-1234', '(212) 555-1234'])
    assert.match(calcErrorOf(expression), /telephone number/, expression)
  checkAll(
    { '2026 - 11 - 28': '1987', '100/5/2': '10', '8/4/20': '0.1', '555 - 1234': '-679', '100-20': '80' },
    shortly,
  )
})

test('a temperature below absolute zero is refused', () => {
  for (const expression of ['-300 C in K', '-300 degC', '-460 F to C', '20 degC - 400 K', '-1 K to degC'])
    assert.match(calcErrorOf(expression), /below absolute zero/, expression)
  checkAll(
    { '-273.15 degC in K': '0 K', '0 K in F': '-459.67 degF', '72f to c': '22.2222222222 degC' },
    shortly,
  )
})

test('numbers are read as people write them', () => {
  checkAll(
    {
      '2+2=': '4',
      '2+2 = ?': '4',
      'what is 2+2?': '4',
      'how many feet in a mile': '5280 ft',
      'half of 90': '45',
      '2 to the power of 10': '1024',
      '|3 - 5| * 2': '4',
      '=SUM(1,2,3)': '6',
      '½': '0.5',
      '2¾ cups': '2.75 cup',
      '1 1/2 cups': '1.5 cup',
      '$8 1/2 * 2': '17 USD',
      '1,234.56': '1234.56',
      '12,34,567': '1234567',
      '1 000 000': '1000000',
      "1'000'000": '1000000',
      '1.5k': '1500',
      '3M': '3000000',
      '1 million': '1000000',
      '2 hundred thousand': '200000',
      '1.5 million km to m': '1500000000 m',
      '10⁶ + 2⁻¹': '1000000.5',
      '255 in hex': '0xff',
      '-255 to hex': '-0xff',
      '10 in binary': '0b1010',
      '0x1F in octal': '0o37',
      '0.75 as a fraction': '3/4',
      '0.25 to %': '25 percent',
      '1/8 in %': '12.5 percent',
    },
    shortly,
  )
  assert.match(calcErrorOf('10 500'), /may be 10500 or 10 \+ 500/)
  assert.match(calcErrorOf('2*1 1/2'), /missing operator/)
  assert.match(calcErrorOf('1.5 in hex'), /only a whole number/)
})

test('commas separate arguments, and a mixture of separating and grouping commas is refused', () => {
  checkAll(
    { 'max(1,234)': '234', 'sqrt(1,024)': '32', '(1,000 + 1)*2': '2002', 'sum(100,200,300)': '600' },
    shortly,
  )
  assert.match(calcErrorOf('sum(1,234, 5,678)'), /may separate arguments or group digits/)
})

test('operators, functions and percentages are read as people write them', () => {
  checkAll(
    {
      '√16': '4',
      '2√9': '6',
      '∛27 + 1': '4',
      'sqrt 16': '4',
      'square root of 16': '4',
      'log 100': '2',
      'log base 2 of 8': '3',
      'sin 30 deg': '0.5',
      'SIN(30°)': '0.5',
      'average(1, 2, 6)': '3',
      'mean(1 m, 3 m)': '2 m',
      'sum(1.5, 2.5)': '4',
      'median(9, 1, 5)': '5',
      'median(4, 1, 2, 3)': '2.5',
      'hypot(3, 4)': '5',
      'hypot(3 ft, 4 ft)': '5 ft',
      '5x3': '15',
      '2.5 x 10^3': '2500',
      '5 times 3 plus 1': '16',
      '10 divided by 4': '2.5',
      '5 squared': '25',
      '5C2': '10',
      '10 choose 3': '120',
      '5P2': '20',
      'mod(10, 3)': '1',
      '15% off 80': '68',
      '20% off $50 * 2': '80 USD',
      '45 + 20% tip': '54',
      '100 + 8% tax': '108',
      '80 - 15 percent': '68',
      '€100 + 19%': '119 EUR',
      '$19.99 * 3': '59.97 USD',
      '$19.99*3': '59.97 USD',
      '-$5 + $8': '3 USD',
      '$2.5M / 4': '625000 USD',
    },
    shortly,
  )
  for (const expression of ['sqrt 16 / 2', 'sin 30^2', 'log 100 * 2', 'sqrt 9 m^2'])
    assert.match(calcErrorOf(expression), /needs parentheses here/, expression)
  assert.match(calcErrorOf('5 of 10'), /5 \* … or 5 \/ …/)
  assert.match(calcErrorOf('20% tip on 45'), /write 20% of 45 or 45 \+ 20%/)
  assert.match(calcErrorOf('100 USD in EUR'), /no exchange rates/)
  assert.match(calcErrorOf('$5 + €3'), /measure different things/)
})

test('quantities are read as people write them', () => {
  checkAll(
    {
      '1 m2': '1 m^2',
      '9.81 m/s2 * 2 s': '19.62 m/s',
      '5\'6"': '5.5 ft',
      '5\' 6 1/2" in cm': '168.91 cm',
      "5'6 in cm": '167.64 cm',
      '6ft2in in cm': '187.96 cm',
      '5 ft 1/2 in to in': '60.5 in',
      '30°15\'36"': '30.26 deg',
      '1h30m': '1.5 h',
      '1h30': '1.5 h',
      '2 hours and 15 minutes in min': '135 min',
      '1h30m + 45m': '2.25 h',
      '3 ft x 4 ft in m2': '1.11483648 m^2',
      '100 ft-lb to Nm': '135.5817948331 Nm',
      // 4.5 kWh at 15 cents; units that cancel out are not printed.
      '1500 W * 3 h * $0.15/kWh': '0.675 USD',
      '60 W * 8 h / (1 kWh)': '0.48',
      '10 km as miles': '6.2137119223 mi',
    },
    shortly,
  )
  assert.match(calcErrorOf('12x16 inches in cm'), /write 12 inches \* 16 inches or 12 \* 16 inches/)
  assert.match(calcErrorOf('6ft2'), /may be ft and 2 in, or ft\^2/)
  assert.match(calcErrorOf('1 KB'), /1000 bytes or KiB for 1024/)
  assert.match(calcErrorOf('2 m + 3 s'), /write min for minutes/)
})

test('the echo spells out what may surprise', () => {
  checkAll(
    {
      '15% off 80': '80 * (1 - 15%)',
      'sin(30)': 'sin(30 rad)',
      'sin(pi/6)': 'sin((pi / 6) rad)',
      'log 100': 'log10(100)',
      '1/2 lbs to g': '(1 / 2) lb to g',
      '100 C to F': '100 degC to degF',
      '2^-3 + -2^2': '2^-3 + -(2^2)',
      '2^3^2': '2^(3^2)',
      '6 / 2 * 3': '(6 / 2) * 3',
      '(1+2)*3 - (4-5)': '(1 + 2) * 3 - (4 - 5)',
    },
    (expression) => ask(expression).understood,
  )
})
