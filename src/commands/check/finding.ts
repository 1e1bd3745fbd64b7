/** One line of the check. `note`: nothing is wrong, and something is worth knowing. */
export type Finding = {
  readonly verdict: 'ok' | 'note' | 'fault'
  readonly name: string
  readonly text: string
}
