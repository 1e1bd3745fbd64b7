import { DEFINITIONS, PAYMENT_RULE, ROUNDING_RULE, WINDOW_RULE } from '@tollbook/verify/build/definitions'
import type { Immutable } from '@tollbook/verify/build/merchant-report'
import { FACILITATOR_LIST } from '@tollbook/verify/chain/facilitators'
import { METHOD_CHANGES } from '@tollbook/verify/screen/method-changes'
import { METHOD_VERSION, SCREENS } from '@tollbook/verify/screen/screens'
import { toFormerNames } from '@tollbook/verify/screen/threshold-names'
import * as z from 'zod'

const screenShape = z.object({
  kind: z.string().describe('The key under which the flags of a report count it.'),
  version: z.int().describe('Incremented whenever the rule or a threshold changes.'),
  title: z.string(),
  rule: z.string().describe('When the screen flags a payment.'),
  thresholds: z
    .record(z.string(), z.number())
    .describe('Version 3 of the method also has the former names (most_, least_, fewest_).'),
  innocent_causes: z.array(z.string()).describe('Legitimate behaviour that matches the screen.'),
})

/** The rules behind every figure, and the version that reports computed by them carry. */
export const methodShape = z.object({
  version: z.string(),
  screens: z
    .array(screenShape)
    .describe('In order of priority: a payment counts under the first screen that matches.'),
  payment_rule: z.string(),
  window_rule: z.string(),
  rounding_rule: z.string(),
  facilitator_list: z
    .string()
    .describe(
      'The facilitators that the payment rule starts from. The inputs of a report have the operator’s changes.',
    ),
  definitions: z.array(z.object({ term: z.string(), text: z.string() })),
  changes: z.array(z.object({ version: z.string(), changes: z.array(z.string()) })).describe('Newest first.'),
})

export type ScreenText = Immutable<z.output<typeof screenShape>>
export type Method = Immutable<z.output<typeof methodShape>>

export function describeMethod(): Method {
  const screens = SCREENS.map((screen) => ({
    kind: screen.kind,
    version: screen.version,
    title: screen.title,
    rule: screen.explanation,
    thresholds: { ...screen.thresholds, ...toFormerNames(screen.thresholds) },
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
