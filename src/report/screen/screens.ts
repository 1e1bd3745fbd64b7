import type { Screen } from './screen.ts'
import { selfPay } from './self-pay.ts'
import { tinyRepeat } from './tiny-repeat.ts'

/** Every screen by priority: a payment counts under the first kind that flags it. */
export const SCREENS: readonly Screen[] = Object.freeze([selfPay, tinyRepeat])

/** Version of the whole method: the payment rule, the list of facilitators and the screens. See docs/screens.md. */
export const METHOD_VERSION = '1'
