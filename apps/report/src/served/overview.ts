import { toUtcText } from '@tollbook/verify/build/compose-report'
import type { FieldFigures, FieldSums } from '@tollbook/verify/build/figures'
import { listInnerDates, type Overview, type OverviewWindow } from '@tollbook/verify/published/overview'
import type { StoredEdition } from '../editions/stored-reports.ts'
import type { State } from '../state/state.ts'
import { toSums } from './merchant-line.ts'

/** Two years. */
const MAX_WEEKS = 104
/** As many days as a chart shows. */
const MAX_DAYS = 60

/** Names of facilitators by the wallets on the list in force. */
type FacilitatorNames = ReadonlyMap<string, string>

export async function loadOverview(
  { db }: State,
  { newest, names }: { readonly newest: StoredEdition | undefined; readonly names: FacilitatorNames },
): Promise<Overview> {
  const rows = await db
    .selectFrom('report_editions')
    .selectAll()
    .where('revision', '>', 0)
    .orderBy('edition', 'desc')
    .orderBy('revision', 'desc')
    .execute()
  const weeks = rows
    .filter(({ edition }, at) => edition !== rows[at - 1]?.edition)
    .slice(0, MAX_WEEKS)
    .reverse()
  return {
    newest: newest
      ? {
          start: toUtcText(newest.window_start / 1000),
          end: toUtcText(newest.window_end / 1000),
          complete: newest.is_complete === 1,
          ...toWindow(newest, names),
        }
      : null,
    weeks: weeks.map((week) => ({ week: week.edition, revision: week.revision, ...toWindow(week, names) })),
    days: toDays(weeks, newest),
  }
}

function toWindow(edition: StoredEdition, names: FacilitatorNames): OverviewWindow {
  const field = toField(edition)
  const nameOf = ({ address }: { readonly address: string }) => names.get(address) ?? address
  const facilitators = field?.facilitators ?? []
  return {
    merchants: edition.merchants,
    ...toSums(edition),
    buyers: field?.buyers ?? null,
    real_buyers: field?.real_buyers ?? null,
    facilitators: addUp(facilitators, nameOf)
      .map(([name, sums]) => {
        const own = facilitators.filter((each) => nameOf(each) === name)
        return { name, addresses: own.map(({ address }) => address).sort(), ...toSums(sums) }
      })
      .sort((a, b) => b.tx - a.tx || (a.name < b.name ? -1 : 1)),
  }
}

/** A week ends at noon, so two share a date and are added up; the newest window may have more of it. */
function toDays(weeks: readonly StoredEdition[], newest: StoredEdition | undefined): Overview['days'] {
  const daysOf = (editions: readonly StoredEdition[]) =>
    addUp(
      editions.flatMap((edition) => toField(edition)?.daily ?? []),
      ({ date }) => date,
    )
  const days = new Map(daysOf(weeks))
  const ofWeeks = new Set(weeks.flatMap(({ edition }) => listInnerDates(edition)))
  for (const [date, sums] of newest ? daysOf([newest]) : [])
    if (!ofWeeks.has(date) && sums.tx >= (days.get(date)?.tx ?? 0)) days.set(date, sums)
  return [...days]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .slice(-MAX_DAYS)
    .map(([date, sums]) => ({ date, ...toSums(sums) }))
}

function addUp<Part extends FieldSums>(parts: readonly Part[], nameOf: (part: Part) => string) {
  const groups = Map.groupBy(parts, nameOf)
  return [...groups].map(([name, own]): [string, FieldSums] => {
    const sum = (of: keyof FieldSums) => own.reduce((total, part) => total + part[of], 0)
    return [
      name,
      { tx: sum('tx'), amount: sum('amount'), real_tx: sum('real_tx'), real_amount: sum('real_amount') },
    ]
  })
}

function toField({ field }: StoredEdition): FieldFigures | null {
  // Written by toEdition as this very type.
  return field === null ? null : (JSON.parse(field) as FieldFigures)
}
