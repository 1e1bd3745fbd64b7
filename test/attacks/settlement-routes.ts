/** Each way in which the gate delivers and settles, with an endpoint of the desk that uses it. */
export const SETTLEMENT_ROUTES = [
  { kind: 'an exact answer', path: '/test/good?word=hi', scheme: 'exact' },
  { kind: 'an exact stream', path: '/test/live?word=hi', scheme: 'exact' },
  { kind: 'a metered answer', path: '/test/meter?word=hi', scheme: 'upto' },
  { kind: 'a metered stream', path: '/test/flow?word=hi', scheme: 'upto' },
] as const
