import cluster from 'node:cluster'

/** The start of what a process is for. */
export type Opening = {
  /** What keeps it from starting, and what to do; null once it has. */
  issue(): string | null
  readonly opened: Promise<void>
}

/** A line of the table that a start prints. */
export type Row = readonly [name: string, value: string]

export type Announced = readonly Row[]

/** From a process that shares its port: its table, then that it is ready. */
export type Announcement = { readonly announced?: Announced; readonly isReady?: true }

/**
 * Prints addresses, and that the process is ready, which it is once it can do what it is for. Processes that share a
 * port leave both to the first.
 * @param opening absent if it can at once
 */
export function announce(rows: Announced, opening?: Opening): void {
  const tell = cluster.isWorker ? (said: Announcement) => process.send?.(said) : print
  tell({ announced: rows })
  if (!opening || opening.issue() === null) tell({ isReady: true })
  else void opening.opened.then(() => tell({ isReady: true }))
}

export function print({ announced, isReady }: Announcement): void {
  const lines = announced?.map(([name, value]) => `${name.padEnd(12)} ${value}\n`) ?? []
  process.stdout.write(`${announced ? '\n' : ''}${lines.join('')}${isReady ? 'ready\n' : ''}`)
}

/** An address in the table, with what keeps its payments from being settled in place of `about`. */
export function addressRow(
  name: string,
  {
    baseUrl,
    opening,
    about,
  }: { readonly baseUrl: string; readonly opening: Opening; readonly about?: string },
): Announced[number] {
  const issue = opening.issue()
  const isNot = name === 'facilitator' ? 'NOT SETTLING' : 'NOT SELLING'
  const rest = issue === null ? about : `${isNot}: ${issue}`
  return [name, rest === undefined ? baseUrl : `${baseUrl}  ${rest}`]
}
