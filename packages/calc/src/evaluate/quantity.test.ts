import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ask, calcErrorOf, checkAll, quantityOf, resultOf } from '@tollbook/testing/utility/calculator'

test('angles are in radians, in degrees on request, or in the unit that they carry', () => {
  assert.equal(resultOf('sin(30)', 'deg'), '0.5')
  assert.equal(resultOf('atan(1)', 'deg'), '45')
  assert.equal(resultOf('atan2(1, -1)', 'deg'), '135')
  assert.equal(resultOf('cos(60 deg)'), '0.5')
  assert.equal(resultOf('sin(pi/2 rad)', 'deg'), '1')
})

test('units convert by their definitions', () => {
  checkAll(
    {
      '5 acre to m^2': '20234.282112 m^2',
      '1 mi to km': '1.609344 km',
      '5 ft 6 in to cm': '167.64 cm',
      '6 ft in in': '72 in',
      '60 mph to km/h': '96.56064 km/h',
      '100 km / 2 h': '50 km/h',
      '1/2 lb to g': '226.796185 g',
      '1 gal to l': '3.785411784 l',
      '1 imperial gallon to l': '4.54609 l',
      '1 nautical mile to m': '1852 m',
      '3 square feet to m²': '0.27870912 m^2',
      '1 kWh to J': '3600000 J',
      '1 MiB to kB': '1048.576 kB',
      '8 bit to B': '1 B',
      '1 ly to km': '9460730472580.8 km',
      '1 eV to J': '1.602176634e-19 J',
      '1 hp to W': '745.69987158227022 W',
      '3000 rpm to Hz': '50 Hz',
      '180 deg to turn': '0.5 turn',
      'pi rad to deg': '180 deg',
      '30 mpg to l/(100 km)': '7.8404861111111111111111111111111111111111111111111 l / (100 km)',
      '1 hour to min': '60 min',
      '5 miles per hour in ft/s': '7.3333333333333333333333333333333333333333333333333 ft/s',
    },
    quantityOf,
  )
  // 648000 / pi astronomical units (IAU 2015 B2), in metres by PARI/GP.
  assert.equal(quantityOf('1 pc to m'), '30856775814913672.789139379577964716107319211604092 m')
})

test('temperature conversions take the zero of each scale into account', () => {
  checkAll(
    {
      '20 degC to degF': '68 degF',
      '-40 degC to degF': '-40 degF',
      '100 C to F': '212 degF',
      '32 F to K': '273.15 K',
      '300 K to celsius': '26.85 degC',
      '25 degC - 20 degC': '5 delta_degC',
      '20 degC + 5 K': '25 degC',
      '9 delta_degF to delta_degC': '5 delta_degC',
    },
    quantityOf,
  )
  assert.match(calcErrorOf('2 * 20 degC'), /write it in K/)
  assert.match(calcErrorOf('abs(-5 degC)'), /write it in K/)
})

test('percent and parts per million become plain numbers in an operation', () => {
  checkAll({ '50 percent * 200': '100', '200 + 10 percent': '220', 'sqrt(4 percent)': '0.2' })
  checkAll({ '0.5 to percent': '50 percent', '3 percent to ppm': '30000 ppm' }, quantityOf)
})

test('quantities are added, multiplied and raised together with their units', () => {
  checkAll(
    {
      '5 km + 3 m': '5.003 km',
      '5 N * 3 m': '15 N*m',
      '5 km * 3 m': '15000 m^2',
      '36 km/h * 10 s': '100 m',
      'sqrt(9 m^2)': '3 m',
      '(2 m)^3': '8 m^3',
      '6 J/kg K': '6 J/(kg*K)',
      '200 m + 10%': '220 m',
      'max(1 ft, 1 m)': '1 m',
      '10 rad/s * 2 m to m/s': '20 m/s',
    },
    quantityOf,
  )
  assert.equal(ask('6 km / (2 km)').unit, null)
  assert.equal(ask('5 u to kg').exact, false)
  assert.match(calcErrorOf('2 m + 3 s'), /m and s measure different things/)
  assert.match(calcErrorOf('5 m to s'), /cannot convert m to s/)
  assert.match(calcErrorOf('sqrt(2 m)'), /cannot raise/)
  assert.match(calcErrorOf('exp(2 m)'), /must be a plain number, not a quantity in m/)
  assert.match(calcErrorOf('5 m to 7'), /must be a unit/)
})

test('powers of angles convert exactly, because powers of pi cancel out', () => {
  // One turn a minute is 6 degrees a second, and a degree has 60 minutes of arc.
  assert.equal(quantityOf('1 rpm^2 to deg^2/s^2'), '36 deg^2/s^2')
  assert.equal(
    quantityOf('2 F/deg to F/arcmin'),
    '0.033333333333333333333333333333333333333333333333333 F/arcmin',
  )
  assert.equal(ask('2 F/deg to F/arcmin').fraction, '1/30')
  assert.equal(resultOf('pi^3/pi^2 - pi'), '0')
  assert.equal(ask('(pi/2)^2*4/pi^2').exact, true)
  // OEIS A002388.
  assert.equal(resultOf('pi^2'), '9.8696044010893586188344909998761511353136994072408')
  assert.equal(resultOf('1/pi^2 * pi^4'), resultOf('pi^2'))
  assert.equal(resultOf('sin(pi^2/pi/6)'), '0.5')
})
