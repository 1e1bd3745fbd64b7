/** Progress is written to standard error, so that standard output contains only answers. */
type Screen = Pick<NodeJS.WriteStream, 'write'> & { readonly isTTY?: boolean }

export type Phase = {
  /** Shows the progress of the phase; `unit` names what is counted, `otherCounts` holds further counts. */
  readonly at: (
    done: number,
    total: number,
    unit: string,
    otherCounts?: Readonly<Record<string, number>>,
  ) => void
}

/** Without a terminal a running phase reports its progress after this time, and then at growing intervals. */
const FIRST_PLAIN_MS = 2_000
const MAX_PLAIN_MS = 60_000
/** On a terminal the line is redrawn at most this often. */
const DRAW_EVERY_MS = 100
const BAR_WIDTH = 24

/** Shows one line for each phase of a long command, with bar, rate and time left where known. */
export function createProgress(screen: Screen = process.stderr, now: () => number = Date.now) {
  const isLive = screen.isTTY === true
  return {
    /** Runs a phase and shows its duration; a failure is shown and rethrown. */
    async phase<T>(name: string, run: (phase: Phase) => Promise<T>): Promise<T> {
      const startedMs = now()
      let shownMs = startedMs
      let everyMs = isLive ? DRAW_EVERY_MS : FIRST_PLAIN_MS
      const draw = (text: string) => screen.write(isLive ? `\r\x1b[2K${text}` : `${text}\n`)
      if (isLive) draw(`${name} …`)
      try {
        const result = await run({
          at: (done, total, unit, otherCounts) => {
            if (now() - shownMs < everyMs) return
            shownMs = now()
            if (!isLive) everyMs = Math.min(2 * everyMs, MAX_PLAIN_MS)
            const elapsedMs = shownMs - startedMs
            draw(`${name} ${renderBar({ done, total, unit, elapsedMs, otherCounts })}`)
          },
        })
        draw(`${name}: ${((now() - startedMs) / 1000).toFixed(1)} s`)
        if (isLive) screen.write('\n')
        return result
      } catch (error) {
        draw(`${name}: failed`)
        if (isLive) screen.write('\n')
        throw error
      }
    },
  }
}

type BarAt = {
  readonly done: number
  readonly total: number
  readonly unit: string
  readonly elapsedMs: number
  readonly otherCounts?: Readonly<Record<string, number>> | undefined
}

/** A bar with count, rate and time left; without a total only count and rate. */
export function renderBar(at: BarAt): string {
  const { done, total, unit, elapsedMs } = at
  const perSecond = elapsedMs > 0 ? (done / elapsedMs) * 1000 : 0
  const rate = `${Math.round(perSecond)} ${unit}/s`
  if (!(total > 0)) return `${done} ${unit}, ${rate}`
  const share = Math.min(1, done / total)
  const filled = Math.round(share * BAR_WIDTH)
  const bar = `[${'#'.repeat(filled)}${'.'.repeat(BAR_WIDTH - filled)}]`
  const left = perSecond > 0 ? `, ${renderSeconds(Math.ceil((total - done) / perSecond))} left` : ''
  const more = Object.entries(at.otherCounts ?? {}).map(
    ([name, count]) => `, ${count} ${name}, ${Math.round((count / elapsedMs) * 1000)} ${name}/s`,
  )
  return `${bar} ${Math.floor(share * 100)} % ${done} of ${total} ${unit}, ${rate}${more.join('')}${left}`
}

/** Beyond two minutes, seconds are not shown. */
function renderSeconds(seconds: number): string {
  if (seconds < 120) return `${seconds} s`
  const minutes = Math.round(seconds / 60)
  return minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
