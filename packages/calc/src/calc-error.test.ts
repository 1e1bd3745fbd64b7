import { test } from 'node:test'
import { calcErrorOf, checkAll } from '@tollbook/testing/utility/calculator'

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
      '3,14': '2 unexpected , (commas separate arguments, or group digits as in 1,234.5)',
      '1 + #': '5 unexpected character "#"',
      'max 30': '1 max needs its arguments in parentheses',
      'nCr(5)': '1 nCr takes 2 arguments, not 1',
      foo: '1 unknown function, constant or unit foo',
      'toString(1)': '1 unknown function, constant or unit toString',
      '5 KB': '3 KB is ambiguous: write kB for 1000 bytes or KiB for 1024',
      '5 KM': '3 unknown function, constant or unit KM (did you mean km?)',
      '1/2pi': '2 ambiguous division: write (1 / 2) * pi or 1 / (2 * pi)',
      '6/2(1+2)': '2 ambiguous division: write (6 / 2) * (1 + 2) or 6 / (2 * (1 + 2))',
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
