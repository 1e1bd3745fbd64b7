const repeat = (text: string, join: string) =>
  Array(Math.floor(1000 / (text.length + join.length)))
    .fill(text)
    .join(join)
const nest = (name: string, depth: number, inside: string) =>
  `${`${name}(`.repeat(depth)}${inside}${')'.repeat(depth)}`

/** Expressions built to take long, and the expected outcome of each; `any` if that depends on the budget. */
export const BOMBS: Readonly<Record<string, string>> = {
  '9^9^9^9': 'no value',
  '2^10^10': 'no value',
  '99999!': 'no value',
  '(10^6)!!': 'no value',
  '3! ! ! !': 'no value',
  '1e999999999': 'no value',
  '1e-999999999': 'no value',
  'sin(10^6000)': 'no value',
  'exp(exp(exp(exp(5))))': 'no value',
  'gamma(10^9 + 0.5)': 'no value',
  [repeat('20000!', '*')]: 'no value',
  [repeat('20000!', '+')]: 'budget',
  [repeat('20000!/19999!', '+')]: 'budget',
  [repeat('(20000! mod 3^80000)', '+')]: 'budget',
  [repeat('20000!//3^80000', '+')]: 'any',
  [repeat('2^262143', '+')]: 'any',
  [repeat('3^165000', '-')]: 'any',
  [repeat('1e60000', '+')]: 'any',
  [repeat('sqrt(20000!)', '+')]: 'budget',
  [repeat('nCr(40000,20000)', '+')]: 'budget',
  'gcd(3^165000-1, 2^262000-1)': 'budget',
  'powmod(3, 2^262000, 2^200000-1)': 'budget',
  [repeat('(3^1250/7^700)', '+')]: 'any',
  [repeat('round(sqrt(2),1000)', '+')]: 'any',
  [repeat('gamma(.1)', '+')]: 'any',
  [repeat('tan(pi/2+1e-300)', '+')]: 'any',
  [repeat('sin(1)', '+')]: 'answered',
  [repeat('1', '+')]: 'answered',
  [repeat('(2)', '')]: 'answered',
  [nest('sin', 99, '1')]: 'answered',
  [`(${repeat('sin(1)', '+').slice(0, 489)})-(${repeat('sin(1)', '+').slice(0, 489)})`]: 'any',
  [`2${'^.5'.repeat(99)}`]: 'answered',
  [`1 ${repeat('mmHg*psi/Btu', '*').slice(0, 987)}`]: 'any',
  ['('.repeat(999)]: 'syntax',
  ['-'.repeat(999)]: 'syntax',
  [`2${'^2'.repeat(499)}`]: 'syntax',
  ['1'.repeat(1001)]: 'syntax',
}
