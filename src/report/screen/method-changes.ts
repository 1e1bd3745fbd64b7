export type MethodChange = {
  readonly version: string
  /** How figures of this version differ in meaning from those of the version before. */
  readonly changes: readonly string[]
}

/** Every version of the whole method, newest first: the payment rule, the list of facilitators, and the screens. */
export const METHOD_CHANGES = Object.freeze([
  {
    version: '2',
    changes: [
      'The screen round_trip came in, between self_pay and tiny_repeat. For it, transfers out of the wallets of merchants are read, and a window is complete only when these are known.',
      'Reports say when much of the money came from wallets that exchanges or bridges had filled, where a list of labels is configured.',
    ],
  },
  {
    version: '1',
    changes: ['The payment rule, the windows, the screens self_pay and tiny_repeat, and all figures.'],
  },
] as const satisfies readonly MethodChange[])
