import { test } from 'node:test'
import { calcFaultOf, checkAll } from '../../../test/utility/calculator.ts'

test('slips of writing are named with their column', () => {
  checkAll(
    {
      '': '1 the expression is empty',
      '1 +': '4 the expression ends where a value is expected',
      '(1': '3 a closing parenthesis is missing before the end',
      '1)': '2 ) is not expected here',
      '2 3': '3 an operator is missing before this number; a + in a URL is written %2B',
      '2 pi': '3 an operator is missing before pi: write *, or %2B for a + in a URL',
      '2 sqrt(2)': '3 an operator is missing before sqrt: write *, or %2B for a + in a URL',
      '10% 5': '5 an operator is missing before this number; a + in a URL is written %2B',
      '1,000': '2 , is not expected here: commas stand only between arguments, so write 1000 and 1.5',
      '1 + $': '5 "$" has no meaning here',
      'sin 30': '1 sin needs its arguments in parentheses',
      'nCr(5)': '1 nCr takes 2 arguments, not 1',
      foo: '1 foo is no function, constant or unit',
      'toString(1)': '1 toString is no function, constant or unit',
      '5 KB': '3 KB is no function, constant or unit: is kB meant?',
      '5 m2': '3 m2 is no unit: write m^2',
      '1/2pi': '2 it is not clear what is divided: put the divisor or the quotient in parentheses',
      '6/2(1+2)': '2 it is not clear what is divided: put the divisor or the quotient in parentheses',
      '(1 < 2)': '4 a closing parenthesis is missing before <',
    },
    calcFaultOf,
  )
})

test('what has no value is named with its column', () => {
  checkAll(
    {
      '2 + 1/0': '6 division by zero',
      '5 mod 0': '3 division by zero',
      '0^-1': '2 division by zero: 0 to a negative power',
      'sqrt(-1)': '1 the even root of a negative number is complex',
      '(-8)^(1/3)': '5 a negative number to a fractional power is complex; for an odd root write root(x, n)',
      'ln(0)': '1 the logarithm of 0 or a negative number',
      'log(2, 1)': '1 there is no logarithm to base 1',
      'tan(pi/2)': '1 the tangent of a right angle',
      'acos(2)': '1 asin and acos take numbers from -1 to 1',
      'atan2(0, 0)': '1 atan2(0, 0) is no angle',
      '(-3)!': '5 the factorial of a negative whole number',
      'gamma(0)': '1 gamma has no value at 0 and negative whole numbers',
      'gcd(1.5, 2)': '1 an argument of gcd must be a whole number',
      'nCr(5, -1)': '1 nCr takes two whole numbers of 0 or more',
    },
    calcFaultOf,
  )
})
