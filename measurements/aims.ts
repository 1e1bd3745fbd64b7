/** What a figure should reach. */
export type Aim = {
  /** As the figure's own line names it. */
  readonly area: string
  /** How the name of the figure begins. */
  readonly figure: string
  /** What is judged; default the value itself. */
  readonly of?: 'ratio'
  readonly atLeast?: number
  readonly atMost?: number
}

/** Bounds that the product was built to; whatever misses one stands first among the measurements. */
export const AIMS: readonly Aim[] = []
