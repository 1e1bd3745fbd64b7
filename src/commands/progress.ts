/** Where progress is written: standard error, so that answers on standard output stay clean. */
type Screen = Pick<NodeJS.WriteStream, 'write'> & { readonly isTTY?: boolean }

export type Phase = {
  /** Shows how far the phase is; `unit` names what is counted. */
  readonly at: (done: number, total: number, unit: string) => void
}

/** Off a terminal a running phase says where it stands this often. */
const PLAIN_EVERY_MS = 2_000
/** On a terminal the line is redrawn at most this often. */
const DRAW_EVERY_MS = 100
const BAR_WIDTH = 24

/** Shows one line for each phase of a long command, with a bar, a rate and the time left where those are known. */
export function createProgress(screen: Screen = process.stderr, now: () => number = Date.now) {
  const isLive = screen.isTTY === true
  return {
    /** Runs a phase and shows how long it took; a failure is shown and thrown on. */
    async phase<T>(name: string, run: (phase: Phase) => Promise<T>): Promise<T> {
      const startedMs = now()
      let shownMs = startedMs
      const draw = (text: string) => screen.write(isLive ? `\r\x1b[2K${text}` : `${text}\n`)
      if (isLive) draw(`${name} …`)
      try {
        const result = await run({
          at: (done, total, unit) => {
            if (now() - shownMs < (isLive ? DRAW_EVERY_MS : PLAIN_EVERY_MS)) return
            shownMs = now()
            draw(`${name} ${renderBar({ done, total, unit, elapsedMs: shownMs - startedMs })}`)
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

/** A bar with count, rate and time left; without a total only count and rate. */
export function renderBar(at: { done: number; total: number; unit: string; elapsedMs: number }): string {
  const { done, total, unit, elapsedMs } = at
  const perSecond = elapsedMs > 0 ? (done / elapsedMs) * 1000 : 0
  const rate = `${Math.round(perSecond)} ${unit}/s`
  if (!(total > 0)) return `${done} ${unit}, ${rate}`
  const share = Math.min(1, done / total)
  const filled = Math.round(share * BAR_WIDTH)
  const bar = `[${'#'.repeat(filled)}${'.'.repeat(BAR_WIDTH - filled)}]`
  const left = perSecond > 0 ? `, ${Math.ceil((total - done) / perSecond)} s left` : ''
  return `${bar} ${Math.floor(share * 100)} % ${done} of ${total} ${unit}, ${rate}${left}`
}
