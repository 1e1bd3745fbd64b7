import { test } from 'node:test'
import { calcErrorOf, checkAll } from '../../../test/utility/calculator.ts'

test('syntax errors name their column', () => {
  checkAll(
    {
      '': '1 the expression is empty',
      '1 +': '4 unexpected end of expression (expected a value)',
      '(1': '3 missing closing parenthesis before the end',
      '1)': '2 unexpected )',
      '2 3': '3 missing operator before this number (in a URL, write + as %2B)',
      '2 pi': '3 missing operator before pi (write *, or + as %2B in a URL)',
      '2 sqrt(2)': '3 missing operator before sqrt (write *, or + as %2B in a URL)',
      '10% 5': '5 missing operator before this number (in a URL, write + as %2B)',
      '1,000': '2 unexpected , (commas separate arguments only; write 1000 and 1.5)',
      '1 + $': '5 unexpected character "$"',
      'sin 30': '1 sin needs its arguments in parentheses',
      'nCr(5)': '1 nCr takes 2 arguments, not 1',
      foo: '1 unknown function, constant or unit foo',
      'toString(1)': '1 unknown function, constant or unit toString',
      '5 KB': '3 unknown function, constant or unit KB (did you mean kB?)',
      '5 m2': '3 unknown unit m2 (write m^2)',
      '1/2pi': '2 ambiguous division: put the divisor or the quotient in parentheses',
      '6/2(1+2)': '2 ambiguous division: put the divisor or the quotient in parentheses',
      '(1 < 2)': '4 missing closing parenthesis before <',
    },
    calcErrorOf,
  )
})

test('evaluation errors name their column', () => {
  checkAll(
    {
      '2 + 1/0': '6 division by zero',
      '5 mod 0': '3 division by zero',
      '0^-1': '2 division by zero: 0 to a negative power',
      'sqrt(-1)': '1 an even root of a negative number is complex',
      '(-8)^(1/3)': '5 a negative number to a fractional power is complex; for an odd root write root(x, n)',
      'ln(0)': '1 the logarithm of 0 or a negative number is not defined',
      'log(2, 1)': '1 the logarithm to base 1 is not defined',
      'tan(pi/2)': '1 the tangent of a right angle is not defined',
      'acos(2)': '1 asin and acos take numbers from -1 to 1',
      'atan2(0, 0)': '1 atan2(0, 0) is not defined',
      '(-3)!': '5 the factorial of a negative whole number is not defined',
      'gamma(0)': '1 gamma is not defined at 0 and negative whole numbers',
      'gcd(1.5, 2)': '1 an argument of gcd must be a whole number',
      'nCr(5, -1)': '1 nCr takes two non-negative whole numbers',
    },
    calcErrorOf,
  )
})
