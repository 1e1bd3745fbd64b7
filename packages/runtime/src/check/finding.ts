/** One line of the check. `note`: information, not an error. */
export type Finding = {
  readonly verdict: 'ok' | 'note' | 'failed'
  readonly name: string
  readonly text: string
}
