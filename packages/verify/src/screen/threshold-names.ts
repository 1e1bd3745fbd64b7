/** Names of thresholds in version 3 of the method, by their names now. Editions of that version keep them. */
const FORMER_NAMES: Readonly<Record<string, string>> = Object.freeze({
  max_amount_micro_usdc: 'most_amount_micro_usdc',
  min_amount_micro_usdc: 'least_amount_micro_usdc',
  min_payments: 'fewest_payments',
  min_funded_percent: 'least_funded_percent',
  min_returned_percent: 'least_returned_percent',
  max_multiple_of_highest_listing: 'most_times_of_the_dearest_listing',
  max_relays: 'most_relays',
})
const CURRENT_NAMES = new Map(Object.entries(FORMER_NAMES).map(([name, former]) => [former, name]))

type Thresholds = Readonly<Record<string, number>>

/** The thresholds under the names of version 3 of the method. */
export function toFormerNames(thresholds: Thresholds): Record<string, number> {
  return Object.fromEntries(
    Object.entries(thresholds).map(([name, value]) => [FORMER_NAMES[name] ?? name, value]),
  )
}

/** The name now of a threshold, which may have its name of version 3. */
export function toCurrentName(name: string): string {
  return CURRENT_NAMES.get(name) ?? name
}
