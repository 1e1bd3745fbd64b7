import { DEFINITIONS } from './definitions.ts'

/** A screen as it is shown to people and programs. */
export type ScreenText = {
  /** The key under which a report's `flags` count it. */
  readonly kind: string
  readonly title: string
  /** When the screen flags a payment, in a sentence with its thresholds. */
  readonly rule: string
  readonly thresholds: Readonly<Record<string, number | string>>
}

/** The rules behind every figure, with the version that reports of these rules carry. */
export type Method = {
  readonly version: string
  /** In the order of priority: a payment counts under the first that matches. */
  readonly screens: readonly ScreenText[]
  readonly definitions: readonly { readonly term: string; readonly text: string }[]
}

export function describeMethod(): Method {
  return { version: '1', screens: [], definitions: DEFINITIONS }
}
