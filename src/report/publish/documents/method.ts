import { FACILITATOR_LIST } from '../../chain/facilitators.ts'
import { METHOD_CHANGES, type MethodChange } from '../../screen/method-changes.ts'
import { METHOD_VERSION, SCREENS } from '../../screen/screens.ts'
import { DEFINITIONS, PAYMENT_RULE, ROUNDING_RULE, WINDOW_RULE } from './definitions.ts'

/** A screen as it is shown to people and programs. */
export type ScreenText = {
  /** The key under which a report's `flags` count it. */
  readonly kind: string
  /** Incremented whenever the rule or a threshold changes. */
  readonly version: number
  readonly title: string
  /** When the screen flags a payment. */
  readonly rule: string
  readonly thresholds: Readonly<Record<string, number>>
  /** Legitimate behaviour that matches the screen. */
  readonly innocent_causes: readonly string[]
}

/** The rules behind every figure, and the version that reports computed by them carry. */
export type Method = {
  readonly version: string
  /** In order of priority: a payment counts under the first screen that matches. */
  readonly screens: readonly ScreenText[]
  readonly payment_rule: string
  readonly window_rule: string
  readonly rounding_rule: string
  /**
   * The list of facilitators that the payment rule starts from. An operator's changes to it are in the inputs
   * of a report.
   */
  readonly facilitator_list: string
  readonly definitions: readonly { readonly term: string; readonly text: string }[]
  /** Newest first. */
  readonly changes: readonly MethodChange[]
}

/** The method that this build applies. */
export function describeMethod(): Method {
  const screens = SCREENS.map((screen) => ({
    kind: screen.kind,
    version: screen.version,
    title: screen.title,
    rule: screen.explanation,
    thresholds: screen.thresholds,
    innocent_causes: screen.innocentCauses,
  }))
  return {
    version: METHOD_VERSION,
    screens,
    payment_rule: PAYMENT_RULE,
    window_rule: WINDOW_RULE,
    rounding_rule: ROUNDING_RULE,
    facilitator_list: FACILITATOR_LIST,
    definitions: DEFINITIONS,
    changes: METHOD_CHANGES,
  }
}
