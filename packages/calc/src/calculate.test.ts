import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ask, calcErrorOf, checkAll, resultOf } from '@tollbook/testing/utility/calculator'

test('whole numbers and fractions are exact', () => {
  checkAll({
    '2 + 3 * 4': '14',
    '(2 + 3) * 4': '20',
    '0.1 + 0.2': '0.3',
    '1/3 * 3': '1',
    '1/3': '0.33333333333333333333333333333333333333333333333333',
    '2/3': '0.66666666666666666666666666666666666666666666666667',
    '2^100': '1267650600228229401496703205376',
    '2^-3': '0.125',
    '1e-3 + 1.5E2': '150.001',
    '.5 + 5.': '5.5',
    '1_000_000 + 0xff + 0b101 + 0o17': '1000275',
    '30!': '265252859812191058636308480000000',
    '2^1000 mod 97': '36',
    '0^0': '1',
  })
  assert.deepEqual(ask('1/3 + 1/6'), {
    understood: '1 / 3 + 1 / 6',
    result: '0.5',
    exact: true,
    kind: 'rational',
    unit: null,
    scientific: '5e-1',
    fraction: '1/2',
  })
})

test('a logarithm to a base close to 1 is computed, and fails if 1,100 digits do not tell the base from 1', () => {
  // ln 2 / ln(1 + d) = (ln 2) / d + (ln 2) / 2 - ...; with d = 10^-200 the first 50 digits are those of ln 2.
  assert.equal(
    ask('log(2, 1 + 10^-200)').scientific,
    '6.9314718055994530941723212145817656807550013436026e199',
  )
  assert.match(calcErrorOf('log(2, 1 + 10^-2000)'), /1,100 digits/)
})

test('100! is printed in full', () => {
  // OEIS A000142.
  const factorial =
    '93326215443944152681699238856266700490715968264381621468592963895217599993229915608941463976156518286253697920827223758251185210916864000000000000000000000000'
  assert.equal(resultOf('100!'), factorial)
  assert.equal(ask('100!').scientific, '9.3326215443944152681699238856266700490715968264382e157')
})

test('whole numbers are printed in full up to 10,000 digits, and with 50 digits beyond', () => {
  assert.equal(resultOf('10^9999'), `1${'0'.repeat(9999)}`)
  assert.equal(resultOf('-(10^9999)'), `-1${'0'.repeat(9999)}`)
  assert.deepEqual(ask('10^10000 + 1'), {
    understood: '10^10000 + 1',
    result: `1.${'0'.repeat(49)}e10000`,
    exact: false,
    kind: 'integer',
    unit: null,
    scientific: `1.${'0'.repeat(49)}e10000`,
    fraction: null,
  })
})

test('a result of more than 50 digits is rounded half away from 0', () => {
  const ones = '1'.repeat(50)
  assert.equal(resultOf(`0.${ones}49`), `0.${ones}`)
  assert.equal(resultOf(`0.${ones}5`), `0.${'1'.repeat(49)}2`)
  assert.equal(resultOf(`-0.${ones}5`), `-0.${'1'.repeat(49)}2`)
  assert.equal(resultOf(`0.${'9'.repeat(51)}`), `1.${'0'.repeat(49)}`)
  assert.equal(ask(`0.${ones}`).exact, true)
})

test('constants and functions have 50 correct digits', () => {
  // OEIS A000796, A001113, A001622, A002193, A002162, A002161, A060295, A073742, A019669.
  checkAll({
    pi: '3.1415926535897932384626433832795028841971693993751',
    e: '2.7182818284590452353602874713526624977572470937000',
    phi: '1.6180339887498948482045868343656381177203091798058',
    'sqrt(2)': '1.4142135623730950488016887242096980785696718753769',
    'ln(2)': '0.69314718055994530941723212145817656807550013436026',
    'gamma(1/2)': '1.7724538509055160272981674833411451827975494561224',
    'e^(pi*sqrt(163))': '262537412640768743.99999999999925007259719818568888',
    'sinh(1)': '1.1752011936438014568823818505956008151557179813341',
    'acos(0)': '1.5707963267948966192313216916397514420985846996876',
  })
})

test('exact function values are returned as exact', () => {
  checkAll({
    'sqrt(144)': '12',
    'sqrt(0.25)': '0.5',
    'cbrt(-27)': '-3',
    'root(1024, 10)': '2',
    '8^(2/3)': '4',
    'ln(1)': '0',
    'log(1000)': '3',
    'log(8, 4)': '1.5',
    'log2(2^-20)': '-20',
    'exp(0)': '1',
    'sin(pi)': '0',
    'sin(pi/6)': '0.5',
    'cos(2pi/3)': '-0.5',
    'tan(5pi/4)': '1',
    'sin(-5pi/6)': '-0.5',
    'tanh(0)': '0',
    'gamma(6)': '120',
    'abs(-7/2)': '3.5',
    'sign(-2)': '-1',
    'floor(-2.5)': '-3',
    'ceil(-2.5)': '-2',
    'trunc(-2.5)': '-2',
    'round(-2.5)': '-3',
    'round(2.345, 2)': '2.35',
    'round(1234, -2)': '1200',
    'min(3, 1/2, 7)': '0.5',
    'max(sqrt(2), 1.41)': '1.4142135623730950488016887242096980785696718753769',
    'gcd(12, 18, 27)': '3',
    'lcm(4, 6)': '12',
    'nCr(52, 5)': '2598960',
    'nPr(5, 2)': '20',
    'factorial(5) + pow(2, 3)': '128',
    'powmod(3, 200, 13)': '9',
    'floor(pi*10^30)': '3141592653589793238462643383279',
  })
})

test('operators have their mathematical precedence', () => {
  checkAll({
    '-2^2': '-4',
    '2^3^2': '512',
    '2^-1': '0.5',
    '--3': '3',
    '7 // 2': '3',
    '-7 // 2': '-4',
    '(20000! + 5) // 20000!': '1',
    '(20000! + 5) mod 20000!': '5',
    '-7 mod 3': '2',
    '7 mod -3': '-2',
    '5.5 mod 2': '1.5',
    '10 % 4': '2',
    '3!^2': '36',
    '2^3!': '64',
    '7!!': '105',
    '(3!)!': '720',
    '2(3 + 4)': '14',
    '(1+2)(3+4)': '21',
    '6 ÷ 3 × 2 − 1': '3',
    '3² + 2³': '17',
    '2**10': '1024',
  })
  assert.equal(resultOf('2pi'), resultOf('2*pi'))
})

test('a percentage is a fraction; in sums it is relative to the other operand', () => {
  checkAll({
    '50%': '0.5',
    '200 + 10%': '220',
    '200 - 10%': '180',
    '5% + 10%': '0.15',
    '10% of 50': '5',
    '100 * 20%': '20',
    '10%4': '2',
  })
})

test('a power modulo a number is computed without the full power', () => {
  // Fermat: 2^96 = 1 mod 97, and 1000000 = 96 * 10416 + 64; 2^64 mod 97 = 61.
  assert.equal(resultOf('2^1000000 mod 97'), '61')
  assert.equal(resultOf('7^(10^18) mod 10'), '1')
})

test('comparisons are true or false', () => {
  checkAll({
    '1 = 1': 'true',
    '1/3 == 0.333': 'false',
    'sqrt(2) < 1.5': 'true',
    '2^100 >= 10^30': 'true',
    '1 mi > 1.6 km': 'true',
    '3 != 3': 'false',
    '5! = 120': 'true',
  })
  assert.equal(ask('1 = 1').kind, 'boolean')
  assert.match(calcErrorOf('5!=120'), /write a space/)
  // Digits alone cannot show that two reals are equal.
  assert.match(calcErrorOf('sqrt(2)^2 = 2'), /cannot tell a number from 0/)
})

test('very large and very small values also have 50 digits', () => {
  // Computed with PARI/GP 2.15.2.
  checkAll({
    '2.5^1000000': '1.0201688007400500243625208085885168552936183028637e397940',
    'exp(-10^6)': '3.2968314780885585789689079691077242085614015066584e-434295',
    'sin(10^22)': '-0.85220084976718880177270589375302936826176215041004',
    'tan(1.57079632679489661923132169163975144209858469968755)':
      '3.4358505560275641103431262542999210379552160201069e50',
    '20000!': '1.8192063202303451348276417568664587660716099014788e77337',
  })
  assert.equal(resultOf('2^-100'), '7.8886090522101180541172856528278622967320643510902e-31')
})

test('a real that cannot be distinguished from 0 by 1,100 digits is returned as 0 and marked inexact', () => {
  const { result, exact } = ask('sqrt(2)^2 - 2')
  assert.deepEqual({ result, exact }, { result: '0', exact: false })
})
