import { METHOD_VERSION, SCREENS } from '../screen/screens.ts'
import { DEFINITIONS } from './definitions.ts'

/** A screen as it is shown to people and programs. */
export type ScreenText = {
  /** The key under which a report's `flags` count it. */
  readonly kind: string
  /** Rises whenever the rule or a threshold changes. */
  readonly version: number
  readonly title: string
  /** When the screen flags a payment. */
  readonly rule: string
  readonly thresholds: Readonly<Record<string, number>>
  /** Honest things that trip it. */
  readonly innocent_causes: readonly string[]
}

/** The rules behind every figure, with the version that reports of these rules carry. */
export type Method = {
  readonly version: string
  /** In the order of priority: a payment counts under the first that matches. */
  readonly screens: readonly ScreenText[]
  readonly definitions: readonly { readonly term: string; readonly text: string }[]
}

/** The method that this build screens by. */
export function describeMethod(): Method {
  const screens = SCREENS.map((screen) => ({
    kind: screen.kind,
    version: screen.version,
    title: screen.title,
    rule: screen.explanation,
    thresholds: screen.thresholds,
    innocent_causes: screen.innocentCauses,
  }))
  return { version: METHOD_VERSION, screens, definitions: DEFINITIONS }
}
